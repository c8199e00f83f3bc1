import { chown, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Account } from "./account.ts";
import { isAlive } from "./file-system.ts";

const UNFINISHED = /^\.unfinished-(\d+)-/;
const AGE_MS_MAX = 600_000;

/**
 * Creates a private folder that is filled and then renamed to its real name, so that an interrupted process leaves no
 * incomplete folder under that name. Removes the folders of interrupted processes in the same place.
 */
export async function makeUnfinishedFolder(parent: string, account: Account | undefined): Promise<string> {
  await removeAbandoned(parent);
  const folder = await mkdtemp(join(parent, `.unfinished-${process.pid}-`));
  if (account !== undefined) await chown(folder, account.uid, account.gid);
  return folder;
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = UNFINISHED.exec(name)?.[1];
    if (pid === undefined) continue;
    const path = join(parent, name);
    // The age decides where process ids are soon reused, as in a container.
    if (isAlive(Number(pid)) && Date.now() - (await modifiedMs(path)) < AGE_MS_MAX) continue;
    // If its initdb still runs, the removal may fail. The next call tries again.
    await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

async function modifiedMs(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
}
