import { Mismatch } from "./part.ts";
import type { Target } from "./target.ts";

const SCHEMAS = ["identity", "live", "test"];
// What asking leaves behind although nothing is changed: when a key or a session was last used, and who tried.
const UNSTEADY = ["session", "console_session", "attempt", "sign_in_attempt", "api_key_use"];

// When a key was last used is recorded a while after.
const COUNTED_ONLY = new Set(["api_key"]);

/** How much each table holds, and the last transaction that wrote to it: equal where nothing was written. */
export class Snapshots {
  readonly #target: Target;
  readonly #without: ReadonlySet<string>;
  #sql: string | undefined;

  constructor(target: Target, without: readonly string[] = []) {
    this.#target = target;
    this.#without = new Set([...UNSTEADY, ...without]);
  }

  /** Every table's count of rows and newest transaction. */
  async take(): Promise<Readonly<Record<string, unknown>>> {
    this.#sql ??= await this.#query();
    const [row] = await this.#target.rows.read(this.#sql);
    return row ?? {};
  }

  /** Throws Mismatch where something was written since. */
  async expectSame(before: Readonly<Record<string, unknown>>, described: () => string): Promise<void> {
    const after = await this.take();
    const written = Object.keys(after).filter((name) => after[name] !== before[name]);
    if (written.length > 0)
      throw new Mismatch(`${written.join(", ")} changed by what was refused: ${described()}`);
  }

  async #query(): Promise<string> {
    const tables = await this.#target.rows.read(
      `SELECT table_schema AS schema, table_name AS name FROM information_schema.tables
        WHERE table_schema = ANY ($1) AND table_type = 'BASE TABLE' ORDER BY 1, 2`,
      [SCHEMAS],
    );
    const counts = tables
      .filter(({ name }) => !this.#without.has(String(name)))
      .map(({ schema, name }) => {
        const table = `${String(schema)}.${String(name)}`;
        const newest = COUNTED_ONLY.has(String(name)) ? "" : ", ' ', max(xmin::text::bigint)";
        return `(SELECT concat(count(*)${newest}) FROM ${table}) AS "${table}"`;
      });
    return `SELECT ${counts.join(", ")}`;
  }
}
