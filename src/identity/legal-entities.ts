import type { ServiceImpl } from "@connectrpc/connect";
import { newId } from "../../contract/ids.ts";
import type { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { auditOf } from "../platform/rpc/audit-trail.ts";
import { insert, update, type Change } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import type { IdentityDeps } from "./deps.ts";
import { LegalEntity } from "./entities.ts";
import { findLegalEntity } from "./repository.ts";
import { commitSettings, trimmedName } from "./settings.ts";
import { requireEntityCapacity } from "./tenant-quota.ts";

type Rpcs = Pick<
  ServiceImpl<typeof IdentityService>,
  "createLegalEntity" | "renameLegalEntity" | "replaceLegalEntity" | "deactivateLegalEntity"
>;

/** The RPCs of a tenant's legal entities. */
export function legalEntityRpcs(deps: IdentityDeps): Rpcs {
  const { identity, clock, tenants } = deps;
  return {
    createLegalEntity: async ({ tenantId, name, payoutCurrency }, context) => {
      await tenants.require(tenantId);
      const id = newId("le");
      const entity = insertLegalEntity(tenantId, id, name, payoutCurrency, wholeSecond(clock));
      const entry = auditOf(context)?.entry({ objectId: id });
      await commitSettings(deps, tenantId, [entity, requireEntityCapacity(tenantId)], entry);
      return { id };
    },
    renameLegalEntity: async ({ tenantId, id, name: given }, context) => {
      await tenants.require(tenantId);
      const entity = await findLegalEntity(identity, tenantId, id);
      if (!entity) throw legalEntityNotFound();
      const name = trimmedName(given);
      if (name !== entity.name) {
        const entry = auditOf(context)?.entry({ objectId: id });
        await commitSettings(deps, tenantId, [update(LegalEntity, { tenantId, id }, { name })], entry);
      }
      return {};
    },
    replaceLegalEntity: async ({ tenantId, id, name, payoutCurrency }, context) => {
      await tenants.require(tenantId);
      const next = newId("le");
      const entity = insertLegalEntity(tenantId, next, trimmedName(name), payoutCurrency, wholeSecond(clock));
      const former = update(LegalEntity, { tenantId, id, isActive: true }, { isActive: false });
      const entry = auditOf(context)?.entry({ objectId: id });
      if ((await commitSettings(deps, tenantId, [former, entity], entry)) !== "committed") {
        throw legalEntityNotFound();
      }
      return { id: next };
    },
    deactivateLegalEntity: async ({ tenantId, id }, context) => {
      await tenants.require(tenantId);
      const entity = await findLegalEntity(identity, tenantId, id);
      if (!entity) throw new PaylinkError("legal_entity_not_found", "There is no such legal entity.");
      if (!entity.isActive) return {};
      const change = update(LegalEntity, { tenantId, id }, { isActive: false });
      await commitSettings(deps, tenantId, [change], auditOf(context)?.entry({ objectId: id }));
      return {};
    },
  };
}

/** Returns the change that inserts an active legal entity. */
export function insertLegalEntity(
  tenantId: string,
  id: string,
  name: string,
  payoutCurrency: string,
  createdAt: Date,
): Change {
  return insert(LegalEntity, {
    tenantId,
    id,
    name,
    isActive: true,
    payoutCurrency: payoutCurrency === "USD" ? "USD" : "BRL",
    createdAt,
  });
}

function legalEntityNotFound(): PaylinkError {
  return new PaylinkError("legal_entity_not_found", "There is no such active legal entity.");
}
