import type { Acknowledged } from "../acknowledged.ts";

const TABLES = {
  link: "payment_link",
  accept: "payment_link",
  quote: "quote",
  simulate: "payment",
  refund: "refund",
} as const;

/** A database to ask. */
interface Queryable {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** What the database itself says about what was acknowledged. */
export interface RecordCheck {
  /** Keys whose acknowledged resource is not there. */
  readonly missing: readonly string[];
  /** Keys that made two links. */
  readonly doubled: number;
}

/** Compares the tables with what was acknowledged, past the service and what it keeps for replays. */
export async function checkRecords(
  database: Queryable,
  prefix: string,
  entries: readonly Acknowledged[],
): Promise<RecordCheck> {
  const missing: string[] = [];
  for (const kind of ["link", "accept", "quote", "simulate", "refund"] as const) {
    const keys = new Map(
      entries
        .filter(({ operation }) => operation.kind === kind)
        .map(({ operation, text }) => [(JSON.parse(text) as { id: string }).id, operation.key]),
    );
    const rows = await database.query<{ id: string }>(
      `SELECT id COLLATE "C" AS id FROM unnest($1::text[]) AS id EXCEPT SELECT id FROM test.${TABLES[kind]}`,
      [[...keys.keys()]],
    );
    missing.push(...rows.map(({ id }) => keys.get(id) ?? id));
  }
  const [row] = await database.query<{ doubled: number }>(
    `SELECT count(*)::int AS doubled FROM (SELECT FROM test.payment_link WHERE starts_with(reference, $1)
      GROUP BY tenant_id, reference HAVING count(*) > 1) AS doubled`,
    [prefix],
  );
  return { missing, doubled: row?.doubled ?? 0 };
}
