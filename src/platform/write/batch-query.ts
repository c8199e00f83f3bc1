import {
  guardValues,
  type ChangeShapes,
  type Column,
  type GuardChange,
  type GuardShape,
  type InsertChange,
  type Table,
} from "./change.ts";
import { CLAIM_COLUMNS, CLAIM_TABLE, claimRow, ON_CLAIMED, type Claim } from "./claim.ts";

/** A commit that can share a query. */
export interface GroupedCommit {
  /** Null: it needs no key. */
  readonly claim: Claim | null;
  readonly guards: readonly GuardChange[];
  readonly inserts: readonly InsertChange[];
}

/** Several commits as one query: each parameter is a JSON array of rows. */
interface BatchQuery {
  readonly text: string;
  /** The same for queries that differ in the columns of their guards alone. */
  readonly family: string;
  readonly values: string[];
}

/**
 * What became of one commit of the query. "alone": it is still to be written, as a row that it requires was not as it
 * was read, or another transaction had locked it.
 */
export interface BatchRow {
  readonly number: number;
  readonly result: "committed" | "claimed_before" | "alone";
}

type Named = Pick<Column, "name" | "type">;

// A key's row that another transaction holds delays the other keys for no longer than this.
const LOCK_MS = 200;
// The number of the commit that a row belongs to. No table has a column of this name.
const NUMBER = { name: "commit_number", type: "integer" };

const writers = new WeakMap<Table, RowWriter>();

function writerOf(table: Table): RowWriter {
  let writer = writers.get(table);
  if (!writer) writers.set(table, (writer = new RowWriter(table.list)));
  return writer;
}

/**
 * Collects commits until they have a number of characters. Their claims are one parameter, with what their guards require
 * and set, and so are the rows of each table. All commits of a batch have guards of the same shapes, so that the text
 * depends on these shapes and on the tables alone.
 */
export class Batch {
  readonly #shapes: ChangeShapes;
  readonly #guards: readonly GuardShape[];
  readonly #isKeyed: boolean;
  readonly #claims: RowWriter;
  readonly #claimed: string[] = [];
  readonly #rows = new Map<Table, string[]>();
  #characters = 0;

  /** `isKeyed`: each commit has a claim; else none has. */
  constructor(shapes: ChangeShapes, guards: readonly GuardShape[], isKeyed: boolean) {
    this.#shapes = shapes;
    this.#guards = guards;
    this.#isKeyed = isKeyed;
    this.#claims = new RowWriter(givenColumns(guards, isKeyed));
  }

  get characters(): number {
    return this.#characters;
  }

  /** Adds a commit. Its number is how many were added before. Throws if JSON cannot have one of its values. */
  add({ claim, guards, inserts }: GroupedCommit): void {
    const number = this.#claimed.length;
    const given = guards.flatMap((guard, index) => guardValues(guard, this.#guards[index] as GuardShape));
    const claimText = this.#claims.text([...(claim ? claimRow(claim) : []), ...given], number);
    const texts = inserts.flatMap((change): [Table, string][] => {
      const table = this.#shapes.tableOf(change.entity);
      const rows = change.kind === "insert" ? [change.row] : change.rows;
      return rows.map((row) => {
        const values = table.list.map(({ property }) => row[property]);
        return [table, writerOf(table).text(values, number)];
      });
    });
    this.#claimed.push(claimText);
    this.#characters += claimText.length;
    for (const [table, text] of texts) {
      const rows = this.#rows.get(table);
      if (rows) rows.push(text);
      else this.#rows.set(table, [text]);
      this.#characters += text.length;
    }
  }

  /** Returns the query. It returns a `BatchRow` of each commit. */
  query(): BatchQuery {
    // Else the text, whose plan each connection keeps, would depend on the order of the commits.
    const tables = [...this.#rows.keys()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
    const all = [this.#claimed, ...tables.map((table) => this.#rows.get(table) ?? [])];
    return {
      text: textOf(tables, this.#guards, this.#isKeyed),
      family: [
        ...(this.#isKeyed ? ["claim"] : []),
        ...this.#guards.map(({ kind, table }) => `${kind} ${table.name}`),
        ...tables.map(({ name }) => name),
      ].join(", "),
      values: all.map((texts) => `[${texts.join(",")}]`),
    };
  }
}

/** Writes rows of the same columns as JSON objects. */
class RowWriter {
  readonly #names: readonly string[];

  constructor(columns: readonly Pick<Column, "name">[]) {
    this.#names = columns.map(({ name }) => `,${JSON.stringify(name)}:`);
  }

  text(values: readonly unknown[], number: number): string {
    let text = `{"${NUMBER.name}":${number}`;
    for (let index = 0; index < this.#names.length; index++)
      text += `${this.#names[index]}${jsonOf(values[index])}`;
    return `${text}}`;
  }
}

/** Returns a column's value in JSON, as PostgreSQL reads it from there. */
function jsonOf(value: unknown): string {
  if (typeof value === "bigint") return `"${value}"`;
  if (value instanceof Uint8Array) return bytesText(value);
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(",")}]`;
  return JSON.stringify(value) ?? "null";
}

function bytesText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return `"\\\\x${Buffer.from(buffer, byteOffset, byteLength).toString("hex")}"`;
}

/** The columns of a claim with its guards' values, which are in the order of `guardValues`. */
function givenColumns(guards: readonly GuardShape[], isKeyed: boolean): Named[] {
  const ofGuards = guards.flatMap(({ set, where }, guard) =>
    [...set, ...where].map(({ type }, index) => ({ name: `guard${guard}_${index}`, type })),
  );
  return isKeyed ? [...CLAIM_COLUMNS, ...ofGuards] : ofGuards;
}

/**
 * Guards come before claims: a commit whose guard fails leaves no claim. If a row that is locked cannot be updated after
 * all, the whole query fails.
 */
function textOf(tables: readonly Table[], guards: readonly GuardShape[], isKeyed: boolean): string {
  const number = NUMBER.name;
  const held = guards.length === 0 ? "given" : `held${guards.length - 1}`;
  const updates = guards.flatMap((shape, guard) => (shape.kind === "update" ? [{ shape, guard }] : []));
  const parts = [
    `given AS MATERIALIZED (SELECT row.* FROM ${recordset(1, givenColumns(guards, isKeyed))},
  set_config('lock_timeout', '${LOCK_MS}', true))`,
    ...guards.map(heldText),
    ...(isKeyed ? claimTexts(held) : [`won AS (SELECT * FROM ${held})`]),
    ...updates.map(({ shape, guard }) => updateText(shape, guard)),
    ...tables.map(
      ({ name, list }, index) => `inserted${index} AS (INSERT INTO ${name} (${namesOf(list)})
SELECT ${namesOf(list, "row.")} FROM ${recordset(index + 2, list)} JOIN won USING (${number}))`,
    ),
  ];
  const results = [
    `${number} AS number`,
    `CASE WHEN ${number} IN (SELECT ${number} FROM won) THEN 'committed'
  WHEN ${number} IN (SELECT ${number} FROM ${held}) THEN 'claimed_before' ELSE 'alone' END AS result`,
    ...updates.map(
      ({ guard }) =>
        `(SELECT identity.guard((SELECT count(*) FROM won) <> (SELECT count(*) FROM updated${guard})))`,
    ),
  ];
  return `WITH ${parts.join(",\n")}\nSELECT ${results.join(",\n")}\nFROM given`;
}

/** Those whose key was free have won. */
function claimTexts(held: string): string[] {
  return [
    `claim AS (INSERT INTO ${CLAIM_TABLE} (${namesOf(CLAIM_COLUMNS)})
SELECT ${namesOf(CLAIM_COLUMNS)} FROM ${held} ${ON_CLAIMED} RETURNING tenant_id, key)`,
    `won AS (SELECT ${held}.* FROM ${held} JOIN claim USING (tenant_id, key))`,
  ];
}

/** Locks the rows that are as a guard requires. No query waits for them, so that it delays no other commit. */
function heldText({ kind, table, set, where, isNull }: GuardShape, guard: number): string {
  const before = guard === 0 ? "given" : `held${guard - 1}`;
  const conditions = [
    ...where.map(({ name }, index) => `"${name}" = ${before}.guard${guard}_${set.length + index}`),
    ...isNull.map(({ name }) => `"${name}" IS NULL`),
  ];
  return `held${guard} AS MATERIALIZED (SELECT ${before}.*, row.ctid AS ctid${guard} FROM ${before}, LATERAL (
SELECT ctid FROM ${table.name} WHERE ${conditions.join(" AND ")}
FOR ${kind === "hold" ? "SHARE" : "NO KEY UPDATE"} SKIP LOCKED) AS row)`;
}

/** Updates rows by their ctid: a plan that was made while the table was small would read all of it by any other join. */
function updateText({ table, set }: GuardShape, guard: number): string {
  const assignments = set.map(({ name }, index) => `"${name}" = won.guard${guard}_${index}`).join(", ");
  return `updated${guard} AS (UPDATE ${table.name} AS target SET ${assignments} FROM won
WHERE target.ctid = won.ctid${guard} AND target.ctid = ANY (ARRAY(SELECT ctid${guard} FROM won)) RETURNING 1)`;
}

function recordset(parameter: number, columns: readonly Named[]): string {
  const types = [NUMBER, ...columns].map(({ name, type }) => `"${name}" ${type}`).join(", ");
  return `json_to_recordset($${parameter}::json) AS row(${types})`;
}

function namesOf(columns: readonly Pick<Column, "name">[], before = ""): string {
  return columns.map(({ name }) => `${before}"${name}"`).join(", ");
}
