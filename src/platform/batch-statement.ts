import type { Column, ChangeShapes, InsertChange, Table } from "./change.ts";
import { CLAIM_COLUMNS, CLAIM_TABLE, claimRow, ON_CLAIMED, type Claim } from "./claim.ts";

/** A claim with the rows that are inserted if it is won. */
export interface Insertion {
  readonly claim: Claim;
  readonly changes: readonly InsertChange[];
}

/** Several insertions as one statement: each parameter is a JSON array of one table's rows. */
interface BatchStatement {
  readonly text: string;
  readonly values: string[];
}

// A key's row that another transaction holds delays the other keys for no longer than this.
const LOCK_MS = 200;
// The number of the insertion that a row belongs to. No table has a column of this name.
const NUMBER = { name: "insertion_number", type: "integer" };

const writers = new WeakMap<Table, RowWriter>();

function writerOf(table: Table): RowWriter {
  let writer = writers.get(table);
  if (!writer) writers.set(table, (writer = new RowWriter(table.list)));
  return writer;
}

/**
 * Collects insertions until they have a number of characters. Each table's rows are one parameter, so that the text
 * depends on the tables alone.
 */
export class InsertionBatch {
  readonly #shapes: ChangeShapes;
  readonly #claims: string[] = [];
  readonly #rows = new Map<Table, string[]>();
  #characters = 0;

  constructor(shapes: ChangeShapes) {
    this.#shapes = shapes;
  }

  get characters(): number {
    return this.#characters;
  }

  /** Adds an insertion. Its number is how many were added before. Throws if JSON cannot have one of its values. */
  add({ claim, changes }: Insertion): void {
    const number = this.#claims.length;
    const claimText = claims.text(claimRow(claim), number);
    const texts = changes.flatMap((change): [Table, string][] => {
      const table = this.#shapes.tableOf(change.entity);
      const rows = change.kind === "insert" ? [change.row] : change.rows;
      return rows.map((row) => {
        const values = table.list.map(({ property }) => row[property]);
        return [table, writerOf(table).text(values, number)];
      });
    });
    this.#claims.push(claimText);
    this.#characters += claimText.length;
    for (const [table, text] of texts) {
      const rows = this.#rows.get(table);
      if (rows) rows.push(text);
      else this.#rows.set(table, [text]);
      this.#characters += text.length;
    }
  }

  /** Returns the statement. It returns the number of each insertion whose claim was won, in the column `number`. */
  statement(): BatchStatement {
    const tables = [...this.#rows.keys()];
    const all = [this.#claims, ...tables.map((table) => this.#rows.get(table) ?? [])];
    return { text: textOf(tables), values: all.map((texts) => `[${texts.join(",")}]`) };
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

const claims = new RowWriter(CLAIM_COLUMNS);

function textOf(tables: readonly Table[]): string {
  const inserts = tables.map(
    ({ name, list }, index) =>
      `change${index} AS (INSERT INTO ${name} (${namesOf(list)})
SELECT ${namesOf(list, "row.")} FROM ${recordset(index + 2, list)} JOIN won USING (${NUMBER.name}))`,
  );
  return `WITH given AS MATERIALIZED (SELECT row.* FROM ${recordset(1, CLAIM_COLUMNS)},
  set_config('lock_timeout', '${LOCK_MS}', true)),
claim AS (INSERT INTO ${CLAIM_TABLE} (${namesOf(CLAIM_COLUMNS)}) SELECT ${namesOf(CLAIM_COLUMNS)} FROM given
${ON_CLAIMED} RETURNING tenant_id, key),
won AS (SELECT given.${NUMBER.name} FROM given JOIN claim USING (tenant_id, key))
${inserts.map((insert) => `, ${insert}`).join("\n")}
SELECT ${NUMBER.name} AS number FROM won`;
}

function recordset(parameter: number, columns: readonly Pick<Column, "name" | "type">[]): string {
  const types = [NUMBER, ...columns].map(({ name, type }) => `"${name}" ${type}`).join(", ");
  return `json_to_recordset($${parameter}::json) AS row(${types})`;
}

function namesOf(columns: readonly Pick<Column, "name">[], before = ""): string {
  return columns.map(({ name }) => `${before}"${name}"`).join(", ");
}
