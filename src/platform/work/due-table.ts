import type pg from "pg";
import type { Clock } from "../time/clock.ts";
import type { DueRow, DueRows, Excepted } from "./due-work.ts";

/** A table whose rows are work that is due at a time. The texts are SQL, in which $1 is now. */
export interface DueTable<Row extends DueRow> {
  /** What its rows are, for the names of its queries. */
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
  const now = (): Date => new Date(clock.nowMs());
  const isDue = `${due} <= $1 AND ${where}`;
  const selected = Object.entries<string>(columns).map(([property, column]) => `${column} AS "${property}"`);
  const parts = key.map((property, index) => ({ column: columns[property], alias: `key_${index}` }));
  const keyColumns = parts.map(({ column }) => column).join(", ");
  const found = `SELECT * FROM unnest(${parts.map((_, index) => `$${index + 3}::text[]`).join(", ")})`;
  return {
    idOf: (row) => key.map((property) => String(row[property])).join(" "),
    find: async (limit: number, { accounts, tenants }: Excepted) => {
      const { rows } = await pool.query<Row>({
        name: `find due ${name}`,
        text: `SELECT ${selected.join(", ")} FROM ${table}
          WHERE ${isDue} AND coalesce(${account}, ${tenant}) <> ALL ($3) AND ${tenant} <> ALL ($4)
          ORDER BY ${due} LIMIT $2`,
        values: [now(), limit, accounts, tenants],
      });
      return rows;
    },
    take: async (tenantId: string, rowsOfTenant: readonly Row[]) => {
      const { rows } = await pool.query<Row>({
        name: `take due ${name}`,
        text: `WITH due AS (
            SELECT ${parts.map(({ column, alias }) => `${column} AS ${alias}`).join(", ")} FROM ${table}
            WHERE ${tenant} = $2 AND (${keyColumns}) IN (${found}) AND ${isDue}
            ORDER BY ${keyColumns} FOR UPDATE SKIP LOCKED
          )
          UPDATE ${table} SET ${taken} FROM due
          WHERE ${tenant} = $2 AND ${parts.map(({ column, alias }) => `${column} = due.${alias}`).join(" AND ")}
          RETURNING ${selected.join(", ")}`,
        values: [now(), tenantId, ...key.map((property) => rowsOfTenant.map((row) => row[property]))],
      });
      return rows;
    },
  };
}
