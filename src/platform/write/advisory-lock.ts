import type pg from "pg";
import { within, type Change } from "./change.ts";

/**
 * Runs work in the same transaction, and sees what the earlier commits with this name wrote: they come one after the other,
 * in all processes together, by an advisory lock.
 */
export function withAdvisoryLock(name: string, run: (client: pg.PoolClient) => Promise<void>): Change {
  return within(async (client) => {
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [name]);
    await run(client);
  });
}
