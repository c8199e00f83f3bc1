import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { defined } from "../../contract/defined.ts";
import { newId } from "../../contract/ids.ts";
import type { IdentityService, UpdateTenantRequest } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { userAsking } from "../platform/rpc/actor.ts";
import { auditOf } from "../platform/rpc/audit-trail.ts";
import { requireMayGive } from "../platform/rpc/grants.ts";
import { insert, update } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import type { IdentityDeps } from "./deps.ts";
import { Tenant, type TenantRow } from "./entities.ts";
import { insertLegalEntity } from "./legal-entities.ts";
import { toLegalEntity, toTenant } from "./mapping.ts";
import { fromPayerFields } from "./payer-fields.ts";
import { changedProfile, type Profile } from "./profile.ts";
import { findTenant, listLegalEntities, listTenants, payoutCurrencies } from "./repository.ts";
import { commitSettings, trimmedName } from "./settings.ts";
import { requireSettlementDays } from "./settlement-term.ts";

type Rpcs = Pick<
  ServiceImpl<typeof IdentityService>,
  "createTenant" | "listTenants" | "getTenant" | "updateTenant"
>;

/** The RPCs of tenants and their settings. */
export function tenantRpcs(deps: IdentityDeps): Rpcs {
  const { identity, clock } = deps;

  async function tenantOf(tenantId: string): Promise<TenantRow> {
    const tenant = await findTenant(identity, tenantId);
    if (!tenant) throw new PaylinkError("tenant_not_found", "There is no such tenant.");
    return tenant;
  }

  const currenciesOf = async (tenantId: string): Promise<readonly string[]> =>
    (await payoutCurrencies(identity, tenantId)).get(tenantId) ?? [];
  return {
    createTenant: async (request, context) => {
      const createdAt = wholeSecond(clock);
      const [id, legalEntityId] = [newId("ten"), newId("le")];
      const tenant = insert(Tenant, {
        id,
        name: request.name,
        paymentMethods: request.paymentMethods.length > 0 ? request.paymentMethods : ["pix", "card"],
        maxInstallments: request.maxInstallments ?? 21,
        collectFields: request.collectFields,
        payerFields: {},
        settlementDays: request.settlementDays ?? 1,
        leastSettlementDays: 0,
        payerRetentionDays: 0,
        exceptionRefundHours: 0,
        refundFee: "merchant",
        profile: {},
        createdAt,
        membershipVersion: 0,
      });
      const entity = insertLegalEntity(id, legalEntityId, request.name, request.payoutCurrency, createdAt);
      const entry = auditOf(context)?.entry({ tenantId: id, objectId: id });
      await identity.committer.commit([tenant, entity], entry);
      return { id, legalEntityId };
    },
    listTenants: async () => {
      const [tenants, currencies] = await Promise.all([listTenants(identity), payoutCurrencies(identity)]);
      return { tenants: tenants.map((tenant) => toTenant(tenant, currencies.get(tenant.id) ?? [])) };
    },
    getTenant: async ({ tenantId }) => {
      const tenant = await tenantOf(tenantId);
      const entities = await listLegalEntities(identity, tenantId);
      return {
        tenant: toTenant(tenant, await currenciesOf(tenantId)),
        legalEntities: entities.map(toLegalEntity),
      };
    },
    updateTenant: async (request, context) => {
      const { tenantId, name, paymentMethods, maxInstallments, collectFields, payerFields } = request;
      const { settlementDays, leastSettlementDays, payerRetentionDays, refundFee } = request;
      const { exceptionRefundHours } = request;
      if (refundFee !== undefined) requireOperator(context, "refund_fee");
      if (leastSettlementDays !== undefined) requireOperator(context, "least_settlement_days");
      if (exceptionRefundHours !== undefined && exceptionRefundHours > 0) {
        await requireMayGive(context, { tenantId, permissions: ["refunds:write"] }, deps.roleOf);
      }
      const tenant = await tenantOf(tenantId);
      const given: Partial<TenantRow> = defined({
        name: name === undefined ? undefined : trimmedName(name),
        paymentMethods: paymentMethods?.values,
        maxInstallments,
        settlementDays,
        leastSettlementDays,
        payerRetentionDays,
        exceptionRefundHours,
        collectFields: collectFields?.values,
        payerFields: payerFields && fromPayerFields(payerFields),
        refundFee: refundFee === undefined ? undefined : fromRefundFee(refundFee),
        profile: profileAfter(tenant, request),
      });
      const changed = Object.fromEntries(
        Object.entries(given).filter(([key, value]) => !isSame(tenant[key as keyof TenantRow], value)),
      );
      if (Object.keys(changed).length > 0) {
        requireSettlementDays({ ...tenant, ...changed });
        const entry = auditOf(context)?.entry({ objectId: tenantId });
        await commitSettings(deps, tenantId, [update(Tenant, { id: tenantId }, changed)], entry);
      }
      return { tenant: toTenant({ ...tenant, ...changed }, await currenciesOf(tenantId)) };
    },
  };
}

/**
 * Who bears the fee of refunds, and how early a net is booked as available, is the operator's money: no user of the
 * tenant decides it. Error: insufficient_permission.
 */
function requireOperator(context: HandlerContext, field: "refund_fee" | "least_settlement_days"): void {
  if (userAsking(context) === null) return;
  throw new PaylinkError("insufficient_permission", `${field} is changed by the operator, for no user.`);
}

/** Returns the profile after the request, or undefined if it stays as it is. Error: invalid_request. */
function profileAfter({ profile }: TenantRow, request: UpdateTenantRequest): Profile | undefined {
  const { displayName, logoUrl, color, taxId, contact, site } = request;
  const given = { display_name: displayName, logo_url: logoUrl, color, tax_id: taxId, contact, site };
  const after = changedProfile(profile, defined(given));
  // The stored one has its fields in the database's order.
  return isSame(after, changedProfile(profile, {})) ? undefined : after;
}

function fromRefundFee(word: string): TenantRow["refundFee"] {
  return word === "service" ? "service" : "merchant";
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
