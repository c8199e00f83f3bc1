import type pg from "pg";
import { insertEvent } from "./event.ts";
import { CLAIM, INSERT_LINK, INSERT_ROUTE, INSERT_TOGETHER } from "./statements.ts";
import { inTransaction } from "./transaction.ts";

/** Returns false if the key was claimed before. */
export async function insertInTurn(
  pool: pg.Pool,
  claim: unknown[],
  link: unknown[],
  route: unknown[],
  event: unknown[],
): Promise<boolean> {
  return await inTransaction(pool, async (client) => {
    const { rowCount } = await client.query({ name: "claim", text: CLAIM, values: claim });
    if (rowCount === 0) return false;
    await client.query({ name: "insert link", text: INSERT_LINK, values: link });
    await client.query({ name: "insert route", text: INSERT_ROUTE, values: route });
    await insertEvent(client, event);
    return true;
  });
}

/** As `insertInTurn`, in one statement. */
export async function insertTogether(
  pool: pg.Pool,
  claim: unknown[],
  link: unknown[],
  route: unknown[],
  event: unknown[],
): Promise<boolean> {
  const values = [...claim, ...link, ...route, ...event];
  const { rows } = await pool.query({ name: "insert together", text: INSERT_TOGETHER, values });
  return rows[0].claimed === 1;
}
