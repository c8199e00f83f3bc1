import { COUNTED_MAX, type Cursor } from "./keyset-page.ts";
import type { Environment } from "./database.ts";

/** An order of rows: by a key, then by their ids. */
export interface RowOrder {
  readonly key: string;
  readonly direction: "ASC" | "DESC";
}

/** The conditions of a query, with parameters numbered in the order of their values. */
export class Conditions {
  readonly #texts: string[] = [];
  readonly values: unknown[] = [];

  /** Adds a condition; each `$` in it is a placeholder for the next value. */
  add(text: string, ...values: readonly unknown[]): this {
    let next = 0;
    const numbered = text.replaceAll("$", () => `$${this.values.length + ++next}`);
    this.values.push(...values);
    this.#texts.push(`(${numbered})`);
    return this;
  }

  /** Adds the condition for rows after the cursor. The separate bound on created_at starts the index scan. */
  after(alias: string, { createdAt, id }: Cursor): this {
    const [time, key] = [`${alias}.created_at`, `${alias}.id`];
    return this.add(`${time} <= $ AND (${time}, ${key}) < ($, $)`, createdAt, createdAt, id);
  }

  /** Adds the condition for rows of `from` after the tenant's row with this id, in this order. */
  afterRow(from: string, alias: string, { key, direction }: RowOrder, tenantId: string, id: string): this {
    const sign = direction === "ASC" ? ">" : "<";
    const place = `SELECT ${key}, ${alias}.id FROM ${from} WHERE ${alias}.tenant_id = $ AND ${alias}.id = $`;
    return this.add(`(${key}, ${alias}.id) ${sign} (${place})`, tenantId, id);
  }

  get text(): string {
    return this.#texts.join(" AND ");
  }
}

/** Returns a search text without spaces at its ends and without NUL, which no text in the database has. */
export function searched(text: string | undefined): string | undefined {
  return text?.replaceAll("\0", "").trim();
}

/** Returns a LIKE pattern for texts that contain this one. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** Returns the number of rows of `from` that meet the conditions, at most COUNTED_MAX. */
export async function countRows(
  { pool }: Environment,
  from: string,
  { text, values }: Conditions,
): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int FROM (SELECT FROM ${from} WHERE ${text} LIMIT ${COUNTED_MAX}) AS counted`,
    values,
  );
  return rows[0]?.count ?? 0;
}
