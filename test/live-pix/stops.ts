import { until } from "../../tools/drills/failover/waiting.ts";
import type { DatabaseRows } from "../support/database-rows.ts";

const STOPPED = `pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`;
const LIMIT_MS = 30_000;
// A rule counts a transaction once, however many of its rows it names. The test's own connection never stops.
const STOP = `CREATE FUNCTION stops.stop() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE rule record; seen text;
  BEGIN
    FOR rule IN SELECT * FROM stops.rule WHERE own_pid <> pg_backend_pid() AND to_jsonb(NEW) @> fields
      AND coalesce(operation, TG_OP) = TG_OP AND coalesce(relation, TG_TABLE_NAME) = TG_TABLE_NAME
    LOOP
      seen := 'stops.seen_' || rule.id;
      CONTINUE WHEN current_setting(seen, true) = 'yes';
      PERFORM set_config(seen, 'yes', true);
      IF nextval('stops.count_' || rule.id) = rule.stop_at THEN PERFORM pg_sleep(600); END IF;
    END LOOP;
    RETURN NEW;
  END $$`;
const TRIGGERS = `DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT table_name FROM information_schema.columns JOIN information_schema.tables
      USING (table_schema, table_name)
      WHERE table_schema = 'live' AND column_name = 'tenant_id' AND table_type = 'BASE TABLE'
    LOOP
      EXECUTE format('CREATE TRIGGER stop BEFORE INSERT OR UPDATE ON live.%I
        FOR EACH ROW EXECUTE FUNCTION stops.stop()', name);
    END LOOP;
  END $$`;

/** Lets PostgreSQL stop within transactions of one's choice, so that their process can be killed there. */
export class Stops {
  readonly #rows: DatabaseRows;
  #ruleCount = 0;
  #stopCount = 0;

  private constructor(rows: DatabaseRows) {
    this.#rows = rows;
  }

  static async install(rows: DatabaseRows): Promise<Stops> {
    await rows.run("CREATE SCHEMA stops");
    await rows.run(
      "CREATE TABLE stops.rule (id int, own_pid int, operation text, relation text, fields jsonb, stop_at int)",
    );
    await rows.run(STOP);
    await rows.run(TRIGGERS);
    return new Stops(rows);
  }

  /** From now on a statement that writes a row with these fields stops. */
  async at(operation: "INSERT" | "UPDATE", table: string, fields: object): Promise<void> {
    await this.#add(operation, table, fields, 1);
  }

  /** From now on the process stops within its commit of this number for a tenant. The first one has 1. */
  async atCommit(number: number, tenantId: string): Promise<void> {
    await this.#add(null, null, { tenant_id: tenantId }, number);
  }

  /** Returns what tells how often the process has written for a tenant since. */
  async commitsOf(tenantId: string): Promise<() => Promise<number>> {
    const id = await this.#add(null, null, { tenant_id: tenantId }, 0);
    return async () => {
      const [row] = await this.#rows.read(
        `SELECT last_value::int AS count, is_called FROM stops.count_${id}`,
      );
      return row?.["is_called"] === true ? Number(row["count"]) : 0;
    };
  }

  async #add(
    operation: string | null,
    table: string | null,
    fields: object,
    stopAt: number,
  ): Promise<number> {
    const id = ++this.#ruleCount;
    if (stopAt > 0) this.#stopCount++;
    await this.#rows.run(`CREATE SEQUENCE stops.count_${id}`);
    await this.#rows.run("INSERT INTO stops.rule VALUES ($1, pg_backend_pid(), $2, $3, $4, $5)", [
      id,
      operation,
      table,
      JSON.stringify(fields),
      stopAt,
    ]);
    return id;
  }

  /** Waits until a statement has come to each stop. */
  async reached(): Promise<void> {
    await until("stops", LIMIT_MS, async () => (await this.#rows.count(STOPPED)) === this.#stopCount);
  }

  /** Undoes the statements that stopped, whose process is gone, and takes all stops away. */
  async remove(): Promise<void> {
    await this.#rows.run(`SELECT pg_terminate_backend(pid) FROM ${STOPPED}`);
    await until("ends of stops", LIMIT_MS, async () => (await this.#rows.count(STOPPED)) === 0);
    await this.#rows.run("DROP SCHEMA stops CASCADE");
  }
}
