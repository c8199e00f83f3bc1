import type pg from "pg";
import type { Clock } from "./clock.ts";
import type { DueRow, DueRows, Excepted } from "./due-work.ts";

/** A table whose rows are work that is due at a time. The texts are SQL, in which $1 is now. */
export interface DueTable<Row extends DueRow> {
  /** What its rows are, for the names of its statements. */
  readonly name: string;
  readonly table: string;
  /** The properties of the key beside the tenant's id. They are texts. */
  readonly key: readonly (keyof Row & string)[];
  /** The column of the time. */
  readonly due: string;
  /** What else a row is that is due. */
  readonly where?: string;
  /** Each property of a row, as it is after the row was taken. */
  readonly columns: Readonly<Record<keyof Row & string, string>>;
  /** What a row is that was taken: its time is later, so that another worker takes it then if this one fails. */
  readonly taken: string;
}

/** Returns how due rows of a table are found and taken. A row without an account has its tenant's id for it. */
export function dueRows<Row extends DueRow>(
  pool: pg.Pool,
  clock: Clock,
  { name, table, key, due, where = "true", columns, taken }: DueTable<Row>,
): DueRows<Row> {
  const { tenantId: tenant, accountId: account } = columns;
  const isDue = `${due} <= $1 AND ${where}`;
  const properties = Object.entries<string>(columns)
    .map(([property, column]) => `${column} AS "${property}"`)
    .join(", ");
  const keyColumns = key.map((property) => columns[property]);
  const aliases = key.map((_, index) => `key_${index}`);
  const now = (): Date => new Date(clock.nowMs());
  return {
    idOf: (row) => key.map((property) => String(row[property])).join(" "),
    find: async (limit: number, { accounts, tenants }: Excepted) => {
      const { rows } = await pool.query<Row>({
        name: `find due ${name}`,
        text: `SELECT ${properties} FROM ${table}
          WHERE ${isDue} AND coalesce(${account}, ${tenant}) <> ALL ($3) AND ${tenant} <> ALL ($4)
          ORDER BY ${due} LIMIT $2`,
        values: [now(), limit, accounts, tenants],
      });
      return rows;
    },
    take: async (tenantId: string, found: readonly Row[]) => {
      const { rows } = await pool.query<Row>({
        name: `take due ${name}`,
        text: `WITH due AS (
            SELECT ${keyColumns.map((column, index) => `${column} AS ${aliases[index]}`).join(", ")} FROM ${table}
            WHERE ${tenant} = $2 AND ${isDue}
              AND (${keyColumns.join(", ")}) IN (SELECT * FROM unnest(${key.map((_, index) => `$${index + 3}::text[]`).join(", ")}))
            ORDER BY ${keyColumns.join(", ")} FOR UPDATE SKIP LOCKED
          )
          UPDATE ${table} SET ${taken} FROM due
          WHERE ${tenant} = $2 AND ${keyColumns.map((column, index) => `${column} = due.${aliases[index]}`).join(" AND ")}
          RETURNING ${properties}`,
        values: [now(), tenantId, ...key.map((property) => found.map((row) => row[property]))],
      });
      return rows;
    },
  };
}
