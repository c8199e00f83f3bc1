import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { isInMemory } from "./temporary-folder.ts";

export const DATABASE = "DATABASE";
export const TEMPLATE = "paylink_template";

/**
 * A database of its own, cloned from the migrated template or another. It stays until the end of the run, when the whole cluster
 * goes: each drop would wait for a checkpoint. `drop` is for tests of a database that is gone.
 */
export async function cloneDatabase(
  template = TEMPLATE,
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  const run = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: inject("cluster").replace(DATABASE, "postgres") });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  // It waits for each file to be on the disk, if there is one; the other way writes all pages into the log.
  const strategy = isInMemory() ? "FILE_COPY" : "WAL_LOG";
  await run(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY ${strategy}`);
  return {
    url: inject("cluster").replace(DATABASE, name),
    drop: () => run(`DROP DATABASE ${name} WITH (FORCE)`),
  };
}
