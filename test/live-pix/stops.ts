import { until } from "../../drills/failover/waiting.ts";
import type { DatabaseRows } from "../support/database-rows.ts";

const TABLES = [
  "charge",
  "taken_receipt",
  "provider_callback",
  "provider_sweep",
  "refund",
  "ledger_entry",
  "receivable_fact",
];
const STOPPED = `pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`;
const LIMIT_MS = 30_000;

/** Lets PostgreSQL stop within statements of one's choice, so that their process can be killed there. */
export class Stops {
  readonly #rows: DatabaseRows;
  #count = 0;

  private constructor(rows: DatabaseRows) {
    this.#rows = rows;
  }

  static async install(rows: DatabaseRows): Promise<Stops> {
    await rows.run(`CREATE TABLE live.stop (operation text, relation text, fields jsonb)`);
    await rows.run(`CREATE FUNCTION live.stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF EXISTS (SELECT FROM live.stop WHERE (operation, relation) = (TG_OP, TG_TABLE_NAME::text)
        AND to_jsonb(NEW) @> fields) THEN PERFORM pg_sleep(600); END IF;
      RETURN NEW; END $$`);
    for (const table of TABLES) {
      await rows.run(`CREATE TRIGGER stop BEFORE INSERT OR UPDATE ON live.${table}
        FOR EACH ROW EXECUTE FUNCTION live.stop()`);
    }
    return new Stops(rows);
  }

  /** From now on a statement that writes a row with these fields stops. */
  async at(operation: "INSERT" | "UPDATE", table: string, fields: object): Promise<void> {
    this.#count++;
    await this.#rows.run("INSERT INTO live.stop VALUES ($1, $2, $3)", [
      operation,
      table,
      JSON.stringify(fields),
    ]);
  }

  /** Waits until a statement has come to each stop. */
  async reached(): Promise<void> {
    await until("stops", LIMIT_MS, async () => (await this.#rows.count(STOPPED)) === this.#count);
  }

  /** Undoes the statements that stopped, whose process is gone, and takes all stops away. */
  async remove(): Promise<void> {
    await this.#rows.run(`SELECT pg_terminate_backend(pid) FROM ${STOPPED}`);
    await until("ends of stops", LIMIT_MS, async () => (await this.#rows.count(STOPPED)) === 0);
    for (const table of TABLES) await this.#rows.run(`DROP TRIGGER stop ON live.${table}`);
    await this.#rows.run("DROP FUNCTION live.stop()");
    await this.#rows.run("DROP TABLE live.stop");
  }
}
