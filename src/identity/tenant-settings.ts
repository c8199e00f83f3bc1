import type { Environment } from "../platform/db/database.ts";
import type { LegalEntityRow, TenantRow } from "./entities.ts";

/** A tenant's settings, with its active legal entities. */
export interface TenantSettings {
  readonly tenant: TenantRow;
  readonly legalEntities: readonly LegalEntityRow[];
}

/** A tenant beside one of its active legal entities, or beside none. */
interface Joined extends Omit<TenantRow, "createdAt"> {
  readonly createdAtMs: number;
  readonly entityId: string | null;
  readonly entityName: string;
  readonly payoutCurrency: LegalEntityRow["payoutCurrency"];
  readonly entityCreatedAtMs: number;
}

// One query, and plain rows: every tenant's are kept, and entities of the library hold much more than their values.
const QUERY = `SELECT t.id, t.name, t.payment_methods AS "paymentMethods", t.max_installments AS "maxInstallments",
    t.collect_fields AS "collectFields", t.payer_fields AS "payerFields",
    t.settlement_days AS "settlementDays",
    t.least_settlement_days AS "leastSettlementDays", t.payer_retention_days AS "payerRetentionDays",
    t.exception_refund_hours AS "exceptionRefundHours",
    t.refund_fee AS "refundFee", t.profile, t.membership_version AS "membershipVersion",
    (extract(epoch FROM t.created_at) * 1000)::float8 AS "createdAtMs",
    e.id AS "entityId", e.name AS "entityName", e.payout_currency AS "payoutCurrency",
    (extract(epoch FROM e.created_at) * 1000)::float8 AS "entityCreatedAtMs"
  FROM tenant t LEFT JOIN legal_entity e ON e.tenant_id = t.id AND e.is_active
  WHERE t.id = $1 ORDER BY e.id`;

/** Returns a tenant's settings with its active legal entities by id, or undefined if there is no such tenant. */
export async function findSettings(
  { pool }: Environment,
  tenantId: string,
): Promise<TenantSettings | undefined> {
  const { rows } = await pool.query<Joined>({ name: "settings", text: QUERY, values: [tenantId] });
  const [first] = rows;
  if (!first) return undefined;
  const { createdAtMs, entityId: _id, entityName: _name, payoutCurrency: _currency, ...values } = first;
  const { entityCreatedAtMs: _createdAtMs, ...own } = values;
  const tenant = { ...own, createdAt: new Date(createdAtMs) };
  const legalEntities = rows.flatMap(({ entityId, entityName, payoutCurrency, entityCreatedAtMs }) => {
    if (entityId === null) return [];
    const createdAt = new Date(entityCreatedAtMs);
    return [{ tenantId, id: entityId, name: entityName, payoutCurrency, isActive: true, createdAt }];
  });
  return { tenant, legalEntities };
}
