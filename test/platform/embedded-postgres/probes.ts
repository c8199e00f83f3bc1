import { spawnSync } from "node:child_process";
import { join } from "node:path";
import pg from "pg";
import { readLockFile } from "../../../src/platform/embedded-postgres/lock-file.ts";

/** Runs one query on a connection of its own. */
export async function query(connectionString: string, text: string): Promise<Record<string, unknown>[]> {
  const pool = new pg.Pool({ connectionString, max: 1 });
  try {
    return (await pool.query<Record<string, unknown>>(text)).rows;
  } finally {
    await pool.end();
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
