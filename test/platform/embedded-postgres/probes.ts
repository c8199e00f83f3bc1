import { spawnSync } from "node:child_process";
import { join } from "node:path";
import pg from "pg";
import { readLockFile } from "../../../src/platform/db/embedded-postgres/lock-file.ts";

/** Runs one query on a connection of its own, which is closed when this resolves. */
export async function query(connectionString: string, text: string): Promise<Record<string, unknown>[]> {
  const pool = new pg.Pool({ connectionString, max: 1 });
  // The pool's own end does not wait for this, and a server that stops meanwhile makes an error of it.
  const closed = new Promise<void>((resolve) => {
    pool.once("connect", (client) => client.once("end", () => resolve()));
  });
  try {
    return (await pool.query<Record<string, unknown>>(text)).rows;
  } finally {
    const connected = pool.totalCount > 0;
    await pool.end();
    if (connected) await closed;
  }
}

/** The id of the server that uses the data folder; NaN for none. */
export async function serverPid(dataDir: string): Promise<number> {
  return (await readLockFile(join(dataDir, "cluster")))?.pid ?? Number.NaN;
}

/** Whether the process runs: an ended one keeps its id until its parent has noticed. */
export function runs(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.startsWith("Z");
}
