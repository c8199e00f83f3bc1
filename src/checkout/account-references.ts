import type { Environment } from "../platform/db/database.ts";

interface OfAccount {
  readonly tenantId: string;
  readonly accountId: string;
}

/** Returns the references of the account's charges whose payments or exceptions have the money of these ids. */
export async function listReferencesOfMoney(
  { pool }: Environment,
  { tenantId, accountId }: OfAccount,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await pool.query<{ reference: string }>({
    name: "references of money",
    text: `SELECT DISTINCT c.reference FROM taken_receipt t
        JOIN charge c ON c.tenant_id = t.tenant_id AND c.payment_id = t.payment_id
      WHERE t.tenant_id = $1 AND t.account_id = $2 AND t.provider_payment_id = ANY ($3)`,
    values: [tenantId, accountId, ids],
  });
  return rows.map(({ reference }) => reference);
}

/**
 * Returns the references of the account's charges that the provider knows by these ids, if no payment and no exception has
 * the money of that id.
 */
export async function listReferencesOfUntaken(
  { pool }: Environment,
  { tenantId, accountId }: OfAccount,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await pool.query<{ reference: string }>({
    name: "references of untaken money",
    text: `WITH untaken AS MATERIALIZED (
        SELECT m.id FROM unnest($3::text[]) AS m (id) WHERE NOT EXISTS (SELECT FROM taken_receipt t
          WHERE t.tenant_id = $1 AND t.account_id = $2 AND t.method = 'card' AND t.provider_payment_id = m.id))
      SELECT c.reference FROM charge c
      WHERE c.tenant_id = $1 AND c.account_id = $2 AND c.provider_charge_id IN (SELECT id FROM untaken)
        AND EXISTS (SELECT FROM untaken)`,
    values: [tenantId, accountId, ids],
  });
  return rows.map(({ reference }) => reference);
}

/** Returns those of the references that charges made with this account have. */
export async function listReferences(
  { pool }: Environment,
  { tenantId, accountId }: OfAccount,
  references: readonly string[],
): Promise<string[]> {
  const { rows } = await pool.query<{ reference: string }>({
    name: "references of charges",
    text: `SELECT reference FROM charge WHERE tenant_id = $1 AND account_id = $2 AND reference = ANY ($3)`,
    values: [tenantId, accountId, references],
  });
  return rows.map(({ reference }) => reference);
}
