import type pg from "pg";
import type { Encryption } from "./encryption.ts";

/** A column with encrypted secrets, which are read and written as text. */
export interface EncryptedColumn {
  readonly table: string;
  /** The columns of the primary key, texts. */
  readonly key: readonly [string, ...string[]];
  readonly column: string;
  readonly type: "text" | "jsonb";
}

const BATCH = 500;

interface Row {
  readonly key: readonly string[];
  readonly text: string;
}

/**
 * Encrypts with the present key what a former one encrypted, in batches of their own transactions. A row that changes
 * meanwhile is left to a repetition. Returns the number of rows.
 */
export async function encryptAgain(
  pool: pg.Pool,
  encryption: Encryption,
  where: EncryptedColumn,
): Promise<number> {
  let count = 0;
  let after: readonly string[] | undefined;
  for (;;) {
    const rows = await rowsAfter(pool, where, after);
    const changed: (Row & { readonly again: string })[] = [];
    for (const row of rows) {
      const again = await encryption.withPresentKey(row.text);
      if (again !== row.text) changed.push({ ...row, again });
    }
    if (changed.length > 0) count += await write(pool, where, changed);
    after = rows.at(-1)?.key;
    if (after === undefined || rows.length < BATCH) return count;
  }
}

async function rowsAfter(
  pool: pg.Pool,
  { table, key, column }: EncryptedColumn,
  after: readonly string[] | undefined,
): Promise<Row[]> {
  const keys = key.join(", ");
  const parameters = key.map((_, index) => `$${index + 1}`).join(", ");
  const { rows } = await pool.query<Row>(
    `SELECT ARRAY[${keys}] AS key, ${column}::text AS text FROM ${table}
      WHERE ${column} IS NOT NULL ${after ? `AND (${keys}) > (${parameters})` : ""}
      ORDER BY ${keys} LIMIT ${BATCH}`,
    [...(after ?? [])],
  );
  return rows;
}

async function write(
  pool: pg.Pool,
  { table, key, column, type }: EncryptedColumn,
  rows: readonly (Row & { readonly again: string })[],
): Promise<number> {
  const names = key.map((_, index) => `k${index}`);
  const arrays = [...names, "text", "again"].map((_, index) => `$${index + 1}::text[]`);
  const { rowCount } = await pool.query(
    `UPDATE ${table} AS t SET ${column} = n.again::${type}
      FROM unnest(${arrays.join(", ")}) AS n(${[...names, "text", "again"].join(", ")})
      WHERE ${key.map((name, index) => `t.${name} = n.k${index}`).join(" AND ")} AND t.${column}::text = n.text`,
    [
      ...key.map((_, index) => rows.map((row) => row.key[index])),
      rows.map(({ text }) => text),
      rows.map(({ again }) => again),
    ],
  );
  return rowCount ?? 0;
}
