import { execFile } from "node:child_process";
import { access, constants, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const POSTGRES_HOME = "/usr/lib/postgresql";
// Debian keeps haproxy where the PATH of an unprivileged user may not look.
const FOLDERS = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/bin"];

/** Where the programs are that the drill runs. */
export interface Programs {
  readonly patroni: string;
  readonly etcd: string;
  readonly haproxy: string;
  /** Folder of the newest PostgreSQL. */
  readonly postgresBin: string;
}

/**
 * The API of etcd for this Patroni. By version 3, a Patroni before 3.0.3 that was frozen overwrites the lock of the new
 * primary when it wakes; by version 2 it compares first.
 */
export async function etcdApiOf({ patroni }: Programs): Promise<2 | 3> {
  const { stdout } = await promisify(execFile)(patroni, ["--version"]);
  const [major = 0, minor = 0, patch = 0] = (/(\d+)\.(\d+)\.(\d+)/.exec(stdout) ?? []).slice(1).map(Number);
  return major > 3 || (major === 3 && (minor > 0 || patch >= 3)) ? 3 : 2;
}

/** A program is not installed; the message says how to install it. */
export class MissingPackages extends Error {}

/** Throws MissingPackages when Debian's packages are not there. */
export async function findPrograms(folders = FOLDERS, postgresHome = POSTGRES_HOME): Promise<Programs> {
  const [patroni, etcd, haproxy, postgresBin] = await Promise.all([
    find("patroni", folders),
    find("etcd", folders),
    find("haproxy", folders),
    newestPostgres(postgresHome),
  ]);
  if (patroni && etcd && haproxy && postgresBin) return { patroni, etcd, haproxy, postgresBin };
  const missing = [
    ...(patroni ? [] : ["patroni"]),
    ...(etcd ? [] : ["etcd-server"]),
    ...(haproxy ? [] : ["haproxy"]),
    ...(postgresBin ? [] : ["postgresql"]),
  ];
  throw new MissingPackages(
    `The failover drill needs Debian packages that are not installed; install them by: apt-get install ${missing.join(" ")}`,
  );
}

async function find(program: string, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, program);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

async function newestPostgres(home: string): Promise<string | undefined> {
  const versions = await readdir(home).catch(() => []);
  for (const version of versions.toSorted((a, b) => Number(b) - Number(a))) {
    const folder = join(home, version, "bin");
    if (await isExecutable(join(folder, "postgres"))) return folder;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
