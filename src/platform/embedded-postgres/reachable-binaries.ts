import { chmod, cp, lstat, readdir, readlink, rename, rm } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { runAs } from "./account.ts";
import type { Account } from "./account.ts";
import { binariesAt } from "./binaries.ts";
import type { Binaries } from "./binaries.ts";
import { hasCode } from "./file-system.ts";
import { makeUnfinishedFolder } from "./unfinished-folder.ts";

export interface ReachableBinariesOptions {
  readonly binaries: Binaries;
  readonly account: Account | undefined;
  /** Asked for the folder to copy to, only when a copy is needed. */
  readonly home: () => Promise<string>;
  readonly onNotice: (line: string) => void;
}

/**
 * Programs that the account can run: the installed ones, or, where it cannot enter their folder, a copy made
 * once per version. Throws when it cannot run the copy either.
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
  /** A file's size or a link's target, by which a damaged copy is told. */
  readonly mark: string;
}

/** What a server needs of the package: everything but the parts for compiling against it. */
async function contentsOf(root: string): Promise<Map<string, Entry>> {
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  const needed = found.filter((entry) => isNeeded(entry.name));
  const entries = await Promise.all(
    needed.map(async (entry): Promise<[string, Entry]> => {
      const path = join(entry.parentPath, entry.name);
      const { mode, size } = await lstat(path);
      const mark = entry.isSymbolicLink() ? `-> ${await readlink(path)}` : entry.isFile() ? `${size}` : "/";
      return [relative(root, path), { mode, mark }];
    }),
  );
  return new Map(entries);
}

function isNeeded(name: string): boolean {
  return !name.endsWith(".a");
}

async function holds(folder: string, wanted: ReadonlyMap<string, Entry>): Promise<boolean> {
  const found = await contentsOf(folder).catch(() => new Map<string, Entry>());
  return [...wanted].every(([path, entry]) => found.get(path)?.mark === entry.mark);
}

async function install(
  from: string,
  to: string,
  home: string,
  contents: ReadonlyMap<string, Entry>,
): Promise<void> {
  const fresh = await makeUnfinishedFolder(home, undefined);
  try {
    await cp(from, fresh, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => isNeeded(basename(path)),
    });
    await openToAll(fresh, contents);
    await replace(fresh, to, home);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** A root with a strict umask installs packages that only it can read. */
async function openToAll(folder: string, contents: ReadonlyMap<string, Entry>): Promise<void> {
  await chmod(folder, 0o755);
  for (const [path, { mode, mark }] of contents) {
    if (mark.startsWith("->")) continue;
    await chmod(join(folder, path), mark === "/" || (mode & 0o100) !== 0 ? 0o755 : 0o644);
  }
}

/** Puts the folder in place of a damaged one; a whole one that another process put there is as good. */
async function replace(fresh: string, to: string, home: string): Promise<void> {
  const damaged = await makeUnfinishedFolder(home, undefined);
  try {
    await rename(to, damaged);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  } finally {
    await rm(damaged, { recursive: true, force: true });
  }
  try {
    await rename(fresh, to);
  } catch (error) {
    if (!hasCode(error, "ENOTEMPTY", "EEXIST")) throw error;
  }
}
