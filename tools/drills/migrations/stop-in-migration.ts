import type pg from "pg";
import type { DatabaseServer } from "../chaos/database-server.ts";

const STOPPED_MS = 30_000;
const POLL_MS = 20;

/** A statement that changes tables: how many transactions with such statements were committed before, and its number in its own. */
export interface Place {
  readonly before: number;
  readonly ordinal: number;
}

// Rows of a transaction that is undone are gone, so that its statements count from the first again at the next start.
// One that finds everything done already (IF NOT EXISTS) counts for nothing.
const INSTALL = `
  CREATE SCHEMA drill;
  CREATE TABLE drill.statement (
    number bigint GENERATED ALWAYS AS IDENTITY,
    transaction xid8 NOT NULL DEFAULT pg_current_xact_id()
  );
  CREATE TABLE drill.stop (before int, ordinal int);
  CREATE FUNCTION drill.count() RETURNS event_trigger LANGUAGE plpgsql AS $$
  DECLARE
    stop_before int;
    stop_ordinal int;
  BEGIN
    IF NOT EXISTS (SELECT FROM pg_event_trigger_ddl_commands()) THEN RETURN; END IF;
    INSERT INTO drill.statement DEFAULT VALUES;
    SELECT count(DISTINCT transaction) FILTER (WHERE transaction <> pg_current_xact_id()),
        count(*) FILTER (WHERE transaction = pg_current_xact_id())
      INTO stop_before, stop_ordinal FROM drill.statement;
    IF EXISTS (SELECT FROM drill.stop WHERE (before, ordinal) = (stop_before, stop_ordinal)) THEN
      PERFORM pg_sleep(600);
    END IF;
  END $$;
  CREATE EVENT TRIGGER drill_count ON ddl_command_end EXECUTE FUNCTION drill.count()`;

/** Lets a migration stop within, at a statement of one's choice, so that its process can be killed there. */
export class StopInMigration {
  readonly #server: DatabaseServer;

  constructor(server: DatabaseServer) {
    this.#server = server;
  }

  async install(database: string): Promise<void> {
    await this.#using(database, async (client) => void (await client.query(INSTALL)));
  }

  /** The places within each migration that ran, in their order. Each migration is a transaction or a part of one. */
  async migrations(database: string): Promise<readonly (readonly [Place, ...Place[]])[]> {
    return await this.#using(database, async (client) => {
      const { rows } = await client.query<{ places: [Place, ...Place[]] }>(
        `SELECT json_agg(json_build_object('before', before, 'ordinal', ordinal) ORDER BY number) AS places
          FROM (SELECT number, migration, dense_rank() OVER (ORDER BY first) - 1 AS before,
              row_number() OVER (PARTITION BY first ORDER BY number) AS ordinal
            FROM (SELECT number, xmin::text AS migration, min(number) OVER (PARTITION BY transaction) AS first
              FROM drill.statement) AS s) AS t
          GROUP BY migration ORDER BY min(number)`,
      );
      return rows.map(({ places }) => places);
    });
  }

  /** Where the next process stops; undefined: nowhere. */
  async stopAt(database: string, place: Place | undefined): Promise<void> {
    await this.#using(database, async (client) => {
      await client.query("DELETE FROM drill.stop");
      if (place) await client.query("INSERT INTO drill.stop VALUES ($1, $2)", [place.before, place.ordinal]);
    });
  }

  /** Waits until a backend other than the former ones has come to the place, and returns it. `failure` is the reason why none will. */
  async untilStopped(
    database: string,
    former: readonly number[],
    failure: () => string | undefined,
  ): Promise<number> {
    const deadline = performance.now() + STOPPED_MS;
    return await this.#using(database, async (client) => {
      for (;;) {
        const { rows } = await client.query<{ pid: number }>(
          `SELECT pid FROM pg_stat_activity
            WHERE datname = $1 AND wait_event = 'PgSleep' AND pid <> ALL($2::int[])`,
          [database, former],
        );
        if (rows[0]) return rows[0].pid;
        const reason = performance.now() > deadline ? "it took too long" : failure();
        if (reason !== undefined) throw new Error(`no migration came to the place: ${reason}`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    });
  }

  /** Ends backends that are still there. */
  async terminate(backends: readonly number[]): Promise<void> {
    await this.#using("postgres", async (client) => {
      await client.query("SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid", [backends]);
    });
  }

  async #using<Result>(database: string, run: (client: pg.Client) => Promise<Result>): Promise<Result> {
    const client = await this.#server.connect(database);
    try {
      return await run(client);
    } finally {
      await client.end();
    }
  }
}
