import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import type { ReplicaSettings } from "../../../src/platform/db/replica.ts";
import { findingsOf, lineOf, type Finding } from "./finding.ts";

const { ok, warning, problem } = findingsOf("replica");
const CONNECT_MS_MAX = 5000;
const WAIT_MS_MAX = 2000;
const LOOK_MS = 20;
const REMEDY = "Correct DATABASE_REPLICA_URL. Without the replica, the primary answers every read.";

/** What a replica was found to be. */
export interface FoundReplica {
  /** Null: it can be asked. */
  readonly failure: string | null;
  /** True: it is a replica of the primary. */
  readonly isOurs: boolean;
  /** The time until it had what the primary had written; null: longer than two seconds. */
  readonly lagMs: number | null;
}

/** Waits for a replica to have what the primary has written now. */
export async function lookAtReplica({ url }: ReplicaSettings, primary: pg.Client): Promise<FoundReplica> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS_MAX });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows: written } = await primary.query<{ system: string; position: string }>(
      "SELECT system_identifier::text AS system, pg_current_wal_flush_lsn()::text AS position FROM pg_control_system()",
    );
    const startedMs = performance.now();
    for (;;) {
      const { rows } = await client.query<{ isOurs: boolean; isThere: boolean | null }>(
        `SELECT pg_is_in_recovery() AND system_identifier::text = $1 AS "isOurs",
          pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= $2::pg_lsn AS "isThere" FROM pg_control_system()`,
        [written[0]?.system, written[0]?.position],
      );
      const passedMs = performance.now() - startedMs;
      if (rows[0]?.isOurs !== true) return { failure: null, isOurs: false, lagMs: null };
      if (rows[0].isThere === true) return { failure: null, isOurs: true, lagMs: passedMs };
      if (passedMs > WAIT_MS_MAX) return { failure: null, isOurs: true, lagMs: null };
      await wait(LOOK_MS);
    }
  } catch (error) {
    return { failure: lineOf(error), isOurs: false, lagMs: null };
  } finally {
    await client.end().catch(() => undefined);
  }
}

export function judgeReplica({ failure, isOurs, lagMs }: FoundReplica, lagMsMax: number): Finding {
  if (failure !== null) return warning(failure, REMEDY);
  if (!isOurs) return problem("it is no replica of DATABASE_URL's database", REMEDY);
  const bound = `reads go there while it is at most ${lagMsMax} ms behind`;
  if (lagMs !== null) return ok(`it has what the primary wrote ${Math.round(lagMs)} ms ago; ${bound}`);
  return warning(
    `it lacks what the primary wrote 2 s ago; ${bound}`,
    "See paylink_database_replica_lag_seconds: the replica may be too slow, or its replay paused.",
  );
}
