import type pg from "pg";
import type { Environment } from "../platform/db/database.ts";
import { inTransaction } from "../platform/db/transaction.ts";

const BATCH = 1000;

/**
 * Removes those of the accounts that belong to no tenant, with all that refers to them. The caller has locked their rows
 * by a query before: none of them joins a tenant meanwhile.
 */
export async function removeWithoutTenant(client: pg.PoolClient, userIds: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT id FROM "user" WHERE id = ANY($1) AND NOT EXISTS (SELECT FROM membership WHERE user_id = "user".id)`,
    [userIds],
  );
  if (rows.length === 0) return;
  const ended = [rows.map(({ id }) => id)];
  for (const table of ["session", "known_browser", "invitation"]) {
    await client.query(`DELETE FROM ${table} WHERE user_id = ANY($1)`, ended);
  }
  await client.query(`DELETE FROM "user" WHERE id = ANY($1)`, ended);
}

/** Removes the accounts that belong to no tenant: those of an earlier release, which kept them. */
export async function removeAccountsWithoutTenant({ pool }: Environment): Promise<void> {
  for (let found = BATCH; found === BATCH;) {
    found = await inTransaction(pool, async (client) => {
      const { rows } = await client.query<{ id: string }>({
        name: "find accounts without a tenant",
        text: `SELECT id FROM "user" WHERE NOT EXISTS (SELECT FROM membership WHERE user_id = "user".id)
          ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
      });
      await removeWithoutTenant(
        client,
        rows.map(({ id }) => id),
      );
      return rows.length;
    });
  }
}
