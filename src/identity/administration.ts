import type { ServiceImpl } from "@connectrpc/connect";
import { defined } from "../../contract/defined.ts";
import type { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import type { AuditRow } from "../platform/audit-entry.ts";
import { auditOf } from "../platform/audit-trail.ts";
import { insert, notify, update, type Change } from "../platform/change.ts";
import { wholeSecond } from "../platform/clock.ts";
import type { CommitResult } from "../platform/commit.ts";
import { invalidRequest, PaylinkError } from "../platform/errors.ts";
import { newId } from "../../contract/ids.ts";
import { LegalEntity, Tenant, type TenantRow } from "./entities.ts";
import { toLegalEntity, toTenant } from "./mapping.ts";
import { findLegalEntity, findTenant, listLegalEntities } from "./repository.ts";
import type { IdentityDeps } from "./deps.ts";

type Rpcs = Pick<
  ServiceImpl<typeof IdentityService>,
  "getTenant" | "updateTenant" | "renameLegalEntity" | "replaceLegalEntity"
>;

/** The RPCs with which a tenant's settings are read and changed. */
export function administrationRpcs(deps: IdentityDeps): Rpcs {
  async function tenantOf(tenantId: string): Promise<TenantRow> {
    const tenant = await findTenant(deps.identity, tenantId);
    if (!tenant) throw new PaylinkError("tenant_not_found", "There is no such tenant.");
    return tenant;
  }

  async function commit(
    tenantId: string,
    changes: readonly Change[],
    entry: AuditRow | undefined,
  ): Promise<CommitResult> {
    const { identity, cache } = deps;
    const topic = `tenant:${tenantId}`;
    const result = await identity.committer.commit([...changes, notify(topic)], entry);
    // Other processes get the notification. This one must drop it before it answers.
    cache.drop(topic);
    return result;
  }

  return {
    getTenant: async ({ tenantId }) => {
      const tenant = await tenantOf(tenantId);
      const entities = await listLegalEntities(deps.identity, tenantId);
      return { tenant: toTenant(tenant), legalEntities: entities.map(toLegalEntity) };
    },
    updateTenant: async (request, context) => {
      const { tenantId, name, paymentMethods, maxInstallments, settlementDays, collectFields, refundFee } =
        request;
      const tenant = await tenantOf(tenantId);
      const given: Partial<TenantRow> = defined({
        name: name === undefined ? undefined : trimmed(name),
        paymentMethods: paymentMethods?.values,
        maxInstallments,
        settlementDays,
        collectFields: collectFields?.values,
        refundFee: refundFee === undefined ? undefined : fromRefundFee(refundFee),
      });
      const changed = Object.fromEntries(
        Object.entries(given).filter(([key, value]) => !isSame(tenant[key as keyof TenantRow], value)),
      );
      if (Object.keys(changed).length > 0) {
        const entry = auditOf(context)?.entry({ objectId: tenantId });
        await commit(tenantId, [update(Tenant, { id: tenantId }, changed)], entry);
      }
      return { tenant: toTenant({ ...tenant, ...changed }) };
    },
    renameLegalEntity: async ({ tenantId, id, name: given }, context) => {
      await deps.tenants.require(tenantId);
      const entity = await findLegalEntity(deps.identity, tenantId, id);
      if (!entity) throw legalEntityNotFound();
      const name = trimmed(given);
      if (name !== entity.name) {
        const entry = auditOf(context)?.entry({ objectId: id });
        await commit(tenantId, [update(LegalEntity, { tenantId, id }, { name })], entry);
      }
      return {};
    },
    replaceLegalEntity: async ({ tenantId, id, name, payoutCurrency }, context) => {
      await deps.tenants.require(tenantId);
      const next = newId("le");
      const row = {
        tenantId,
        id: next,
        name: trimmed(name),
        payoutCurrency: payoutCurrency === "USD" ? ("USD" as const) : ("BRL" as const),
        isActive: true,
        createdAt: wholeSecond(deps.clock),
      };
      const former = update(LegalEntity, { tenantId, id, isActive: true }, { isActive: false });
      const entry = auditOf(context)?.entry({ objectId: id });
      if ((await commit(tenantId, [former, insert(LegalEntity, row)], entry)) !== "committed") {
        throw legalEntityNotFound();
      }
      return { id: next };
    },
  };
}

function legalEntityNotFound(): PaylinkError {
  return new PaylinkError("legal_entity_not_found", "There is no such active legal entity.");
}

function trimmed(name: string): string {
  const text = name.trim();
  if (text === "") throw invalidRequest("name", "name must not be blank.");
  return text;
}

function fromRefundFee(word: string): TenantRow["refundFee"] {
  return word === "service" ? "service" : "merchant";
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
