import type pg from "pg";

const MANY = 1000;

/**
 * Has the database look at a table that has many new rows. It does so by itself a minute later, and would until then
 * look for each line among all of its account.
 */
export async function analyzeGrown(
  client: Pick<pg.Pool | pg.PoolClient, "query">,
  table: "bank_line" | "statement_line" | "book_line",
  newCount: number,
): Promise<void> {
  if (newCount >= MANY) await client.query(`ANALYZE ${table}`);
}
