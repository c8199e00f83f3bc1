import type { Dirent } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { runAs } from "./account.ts";
import type { Account } from "./account.ts";
import { binariesAt } from "./binaries.ts";
import type { Binaries } from "./binaries.ts";
import { hasCode } from "./file-system.ts";
import { makeUnfinishedFolder } from "./unfinished-folder.ts";

export interface ReachableBinariesOptions {
  readonly binaries: Binaries;
  readonly account: Account | undefined;
  /** Returns the folder for the copy. It is called only if a copy is needed. */
  readonly home: () => Promise<string>;
  readonly onNotice: (line: string) => void;
}

/**
 * Returns programs that the account can run: the installed ones, or a copy made once per version if it cannot enter
 * their folder. Throws if it cannot run the copy either.
 */
export async function reachableBinaries(options: ReachableBinariesOptions): Promise<Binaries> {
  const { binaries, account } = options;
  if (account === undefined || (await runAs(account, binaries.postgres, ["--version"])).ok) return binaries;
  const home = await options.home();
  const copy = binariesAt(join(home, `postgres-${binaries.build}`), binaries);
  const contents = await contentsOf(binaries.root);
  if (!(await holds(copy.root, contents))) {
    options.onNotice(`${account.name} cannot run ${binaries.postgres}: copying PostgreSQL to ${copy.root}`);
    await install(binaries.root, copy.root, home, contents);
  }
  const run = await runAs(account, copy.postgres, ["--version"]);
  if (!run.ok) throw new Error(`${account.name} cannot run ${copy.postgres}: ${run.stderr}`);
  return copy;
}

interface Entry {
  readonly mode: number;
  /** `FOLDER`, `LINK` and its target, or a file's size. It reveals a damaged copy. */
  readonly mark: string;
}

/** By path relative to the folder. */
type Contents = ReadonlyMap<string, Entry>;

const FOLDER = "folder";
const LINK = "link to ";

/** Returns the files that a server needs: all of the package except those for compiling against it. */
async function contentsOf(root: string): Promise<Contents> {
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  const needed = found.filter((entry) => isNeeded(entry.name));
  const entries = await Promise.all(
    needed.map(async (entry): Promise<[string, Entry]> => {
      const path = join(entry.parentPath, entry.name);
      const { mode, size } = await lstat(path);
      return [relative(root, path), { mode, mark: await markOf(entry, path, size) }];
    }),
  );
  return new Map(entries);
}

async function markOf(entry: Dirent, path: string, sizeBytes: number): Promise<string> {
  if (entry.isDirectory()) return FOLDER;
  return entry.isSymbolicLink() ? `${LINK}${await readlink(path)}` : String(sizeBytes);
}

function isNeeded(name: string): boolean {
  return !name.endsWith(".a");
}

async function holds(folder: string, wanted: Contents): Promise<boolean> {
  const found = await contentsOf(folder).catch(() => new Map<string, Entry>());
  return [...wanted].every(([path, entry]) => found.get(path)?.mark === entry.mark);
}

async function install(from: string, to: string, home: string, contents: Contents): Promise<void> {
  const fresh = await makeUnfinishedFolder(home, undefined);
  try {
    await copyContents(from, fresh, contents);
    await replace(fresh, to, home, contents);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Sets the modes explicitly, because a root with a strict umask installs packages that only root can read. */
async function copyContents(from: string, to: string, contents: Contents): Promise<void> {
  await chmod(to, 0o755);
  const entries = [...contents];
  const folders = entries.filter(([, { mark }]) => mark === FOLDER).map(([path]) => join(to, path));
  // After sorting, a folder comes before the folders inside it.
  for (const folder of folders.toSorted()) {
    await mkdir(folder);
    await chmod(folder, 0o755);
  }
  await Promise.all(
    entries.map(async ([path, { mode, mark }]) => {
      if (mark === FOLDER) return;
      if (mark.startsWith(LINK)) return await symlink(mark.slice(LINK.length), join(to, path));
      await copyFile(join(from, path), join(to, path));
      await chmod(join(to, path), (mode & 0o100) === 0 ? 0o644 : 0o755);
    }),
  );
}

/** Replaces a damaged copy, but keeps a complete one that another process has created meanwhile. */
async function replace(fresh: string, to: string, home: string, contents: Contents): Promise<void> {
  if (await renamed(fresh, to)) return;
  if (await holds(to, contents)) return;
  const damaged = await makeUnfinishedFolder(home, undefined);
  await rename(to, damaged);
  await rm(damaged, { recursive: true, force: true });
  await renamed(fresh, to);
}

/** Returns true if the rename succeeded, or false if a folder that is not empty has the name. */
async function renamed(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOTEMPTY", "EEXIST")) return false;
    throw error;
  }
}
