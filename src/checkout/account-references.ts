import type { Environment } from "../platform/database.ts";

/** Returns those of the references that charges made with this account have. */
export async function listReferences(
  { pool }: Environment,
  { tenantId, accountId }: { readonly tenantId: string; readonly accountId: string },
  references: readonly string[],
): Promise<string[]> {
  const { rows } = await pool.query<{ reference: string }>({
    name: "references of charges",
    text: `SELECT reference FROM charge WHERE tenant_id = $1 AND account_id = $2 AND reference = ANY ($3)`,
    values: [tenantId, accountId, references],
  });
  return rows.map(({ reference }) => reference);
}
