import { execFile } from "node:child_process";
import { mkdir, open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const SIZE_MB = 640;
const BLOCK = Buffer.alloc(1024 * 1024, 1);

/** The disk that the database is on: a small one of its own where the machine lets us make one. */
export interface DataDisk {
  readonly path: string;
  /** Why it cannot be filled; undefined if it can. */
  readonly impossible: string | undefined;
  remove(): Promise<void>;
}

export async function makeDataDisk(path: string): Promise<DataDisk> {
  await mkdir(path, { recursive: true });
  const impossible = await run("mount", [
    "-t",
    "tmpfs",
    "-o",
    `size=${SIZE_MB}m,mode=0711`,
    "tmpfs",
    path,
  ]).then(
    () => undefined,
    () => "no small disk can be mounted: that takes root",
  );
  return {
    path,
    impossible,
    remove: async () => {
      if (impossible === undefined) await run("umount", ["--lazy", path]);
    },
  };
}

/** Fills a disk to its last byte. Returns what frees it. */
export async function fillDisk(path: string): Promise<() => Promise<void>> {
  const { blocks, bsize } = await statfs(path);
  // Never the machine's own disk.
  if (blocks * bsize > 2 * SIZE_MB * 1024 * 1024) throw new Error(`${path} is not the small disk`);
  const file = join(path, "filler");
  const handle = await open(file, "w");
  try {
    for (;;) await handle.write(BLOCK);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  } finally {
    await handle.close();
  }
  return async () => await rm(file);
}
