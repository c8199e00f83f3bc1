import { randomBytes } from "node:crypto";
import { chown, mkdir, readFile, readdir, realpath, rename, rm, stat, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { canEnter, defaultAccount, runAs, runsAsRoot, unprivilegedOwner } from "./account.ts";
import type { Account } from "./account.ts";
import type { Binaries } from "./binaries.ts";
import { exists, hasCode, syncFolder } from "./file-system.ts";
import type { RootHome } from "./root-home.ts";
import { makeUnfinishedFolder } from "./unfinished-folder.ts";

/** The name in the data folder: PostgreSQL's own folder, or a link to it. */
const CLUSTER = "cluster";

/** Creates the data folder unless it exists, and returns its real path. */
export async function openDataFolder(dataDir: string): Promise<string> {
  await mkdir(dirname(dataDir), { recursive: true });
  await mkdir(dataDir, { mode: 0o700 }).catch((error: unknown) => {
    if (!hasCode(error, "EEXIST")) throw error;
  });
  return await realpath(dataDir);
}

/**
 * Returns the user that runs the server. Under root, it is the data's owner, or the default account for new data.
 * Otherwise it is undefined: Node's own user.
 */
export async function accountFor(dataDir: string): Promise<Account | undefined> {
  if (!runsAsRoot()) return undefined;
  const cluster = join(dataDir, CLUSTER);
  if (!(await exists(cluster))) return (await unprivilegedOwner(dataDir)) ?? (await defaultAccount());
  const owner = await unprivilegedOwner(await realFolder(cluster));
  if (owner !== undefined) return owner;
  throw new Error(
    `${cluster} belongs to root, whom PostgreSQL refuses: give it to an unprivileged user (chown -R).`,
  );
}

export interface OpenClusterOptions {
  readonly dataDir: string;
  readonly account: Account | undefined;
  readonly binaries: Binaries;
  readonly home: () => Promise<RootHome>;
  readonly onNotice: (line: string) => void;
  /** Fills the folder of a new cluster, of whose files the account must be the owner. Absent: the cluster is empty. */
  readonly fill?: ClusterFiller | undefined;
}

export type ClusterFiller = (folder: string, account: Account | undefined) => Promise<void>;

/** Returns the real path of PostgreSQL's folder, which is created if there is none. Never changes an existing one. */
export async function openCluster(options: OpenClusterOptions): Promise<string> {
  const { dataDir, account, binaries } = options;
  const cluster = join(dataDir, CLUSTER);
  if (!(await exists(cluster))) await createCluster(options);
  const folder = await realFolder(cluster);
  if (account !== undefined && !(await canEnter(account, folder))) {
    throw new Error(`${account.name} owns ${folder} but cannot enter it: a folder above it is closed.`);
  }
  if (account === undefined && (await stat(folder)).uid !== process.getuid?.()) {
    throw new Error(`${folder} belongs to another user, and PostgreSQL only opens a folder of its own user.`);
  }
  const major = (await readFile(join(folder, "PG_VERSION"), "utf8")).trim();
  if (major !== binaries.major) {
    throw new Error(
      `${folder} was made by PostgreSQL ${major}; PostgreSQL ${binaries.major} cannot open it.`,
    );
  }
  return folder;
}

async function realFolder(cluster: string): Promise<string> {
  try {
    return await realpath(cluster);
  } catch (cause) {
    throw new Error(`${cluster} is a link to a folder that is gone: bring it back or remove the link.`, {
      cause,
    });
  }
}

async function createCluster(options: OpenClusterOptions): Promise<void> {
  const { dataDir, account, onNotice } = options;
  if (account === undefined || (await canHoldData(dataDir, account))) {
    if (!options.fill) onNotice(`Creating the database in ${dataDir}`);
    await fill(options, dataDir, (fresh) => rename(fresh, join(dataDir, CLUSTER)));
  } else {
    const home = await options.home();
    const elsewhere = join(home.folder, `cluster-${randomBytes(6).toString("hex")}`);
    onNotice(`${account.name} cannot enter ${dataDir}: creating the database in ${elsewhere}`);
    if (!home.lasting) onNotice(`${elsewhere} may be lost when the machine restarts`);
    await fill(options, home.folder, (fresh) => linkTo(fresh, elsewhere, join(dataDir, CLUSTER)));
  }
  await syncFolder(dataDir);
}

/** Under root: returns true if the account can enter the folder. An empty folder of root's is given to it first. */
async function canHoldData(dataDir: string, account: Account): Promise<boolean> {
  if (await canEnter(account, dataDir)) return true;
  const empty = (await readdir(dataDir)).length === 0;
  if (!empty || (await stat(dataDir)).uid !== 0 || !(await canEnter(account, dirname(dataDir)))) return false;
  await chown(dataDir, account.uid, account.gid);
  return true;
}

/** The last step is one rename or link: a launcher that loses the race uses the winner's database. */
async function fill(
  { account, binaries, fill: fillWith }: OpenClusterOptions,
  parent: string,
  finish: (fresh: string) => Promise<void>,
): Promise<void> {
  const fresh = await makeUnfinishedFolder(parent, account);
  try {
    await fillWith?.(fresh, account);
    const how = fillWith ? ["--sync-only"] : initOptions();
    const run = await runAs(account, binaries.initdb, ["-D", fresh, ...how]);
    if (!run.ok) throw new Error(`PostgreSQL could not create its database: ${run.stderr}`);
    await finish(fresh);
    await syncFolder(parent);
  } catch (error) {
    if (!hasCode(error, "EEXIST", "ENOTEMPTY", "ENOTDIR")) throw error;
  } finally {
    await rm(fresh, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function linkTo(fresh: string, elsewhere: string, link: string): Promise<void> {
  await rename(fresh, elsewhere);
  try {
    await symlink(elsewhere, link);
  } catch (error) {
    await rm(elsewhere, { recursive: true, force: true });
    throw error;
  }
}

function initOptions(): string[] {
  // macOS's C library has no locale with that name; PostgreSQL's own C.UTF-8 sorts the same on both.
  const locale =
    process.platform === "darwin"
      ? ["--locale=C", "--lc-ctype=UTF-8", "--builtin-locale=C.UTF-8"]
      : ["--locale=C.UTF-8"];
  return [
    "--username=paylink",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    ...locale,
    "--auth-local=trust",
    "--auth-host=reject",
    "--no-instructions",
  ];
}
