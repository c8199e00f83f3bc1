import { link, open, readdir, rm, stat, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  exists,
  hasCode,
  isAlive,
  syncFolder,
} from "../../../src/platform/db/embedded-postgres/file-system.ts";

const NAME = /^\.paylink-(\d+)\.unfinished$/;
// A process that writes a draft changes it all the time; the age decides where process ids are soon reused.
const AGE_MS_MAX = 600_000;

/**
 * Writes a file that only its owner can read, completely or not at all. What interrupted processes left beside it is
 * removed. Throws Error if there is a file of this name, or no such folder.
 */
export async function writeWhole(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const folder = dirname(path);
  if (!(await exists(folder)))
    throw new Error(`There is no folder ${folder}: make it first, or name another one.`);
  if (await exists(path)) throw new Error(taken(path));
  await removeAbandoned(folder);
  const draft = join(folder, `.paylink-${process.pid}.unfinished`);
  const file = await open(draft, "wx", 0o600);
  try {
    await write(file);
    await file.sync();
    await link(draft, path).catch((error: unknown) => {
      throw hasCode(error, "EEXIST") ? new Error(taken(path)) : error;
    });
    await syncFolder(folder);
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
}

function taken(path: string): string {
  return `${basename(path)} is there already: choose another name, a backup never replaces a file.`;
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(NAME.exec(name)?.[1]);
    if (Number.isNaN(pid)) continue;
    const path = join(folder, name);
    const modifiedMs = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
    if (pid !== process.pid && isAlive(pid) && Date.now() - modifiedMs < AGE_MS_MAX) continue;
    await rm(path, { force: true });
  }
}
