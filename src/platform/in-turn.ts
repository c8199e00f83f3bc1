import type pg from "pg";
import type { Change } from "./change.ts";

/**
 * Runs work in the same transaction, and sees what the earlier commits with this turn wrote: they come one after the other,
 * in all processes together. In each process, all but one wait without a connection. Error at the commit:
 * service_unavailable if too many wait.
 */
export function inTurn(turn: string, run: (client: pg.PoolClient) => Promise<void>): Change {
  return {
    kind: "within",
    turn,
    run: async (client) => {
      await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [turn]);
      await run(client);
    },
  };
}
