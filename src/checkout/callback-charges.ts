import type { Environment } from "../platform/db/database.ts";
import type { ChargeRow } from "./entities.ts";

// Three plans of 21 installments.
const KEPT_MAX = 63;

/**
 * Keeps ids of a charge's money that no list of its provider has: a plan's callbacks name one payment each. Returns true if
 * another process has kept ids that are not among those `asked` about.
 */
export async function keepCallbackIds(
  { pool }: Environment,
  { tenantId, paymentId, callbackChargeIds }: ChargeRow,
  ids: readonly string[],
  asked: readonly string[],
): Promise<boolean> {
  const fresh = ids.filter((id) => !callbackChargeIds.includes(id));
  if (fresh.length === 0) return false;
  const { rows } = await pool.query<{ kept: string[] }>({
    name: "keep charges of callbacks",
    text: `UPDATE charge SET told_charge_ids = told_charge_ids
          || ARRAY(SELECT id FROM unnest($3::text[]) AS named (id) WHERE id <> ALL (told_charge_ids))
      WHERE tenant_id = $1 AND payment_id = $2 AND NOT told_charge_ids @> $3::text[]
        AND cardinality(told_charge_ids) + cardinality($3::text[]) <= $4
      RETURNING told_charge_ids AS kept`,
    values: [tenantId, paymentId, fresh, KEPT_MAX],
  });
  return (rows[0]?.kept ?? []).some((id) => !callbackChargeIds.includes(id) && !asked.includes(id));
}
