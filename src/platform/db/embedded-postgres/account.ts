import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";

/** The unprivileged user that runs the server when Node itself runs as root. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** The result of a program run by `runAs`; `ok` is false if it failed or could not be started. */
export interface RunResult {
  readonly ok: boolean;
  readonly stderr: string;
}

/** Only these variables are passed on: PostgreSQL's own PG* variables would change its behaviour. */
export const SERVER_ENVIRONMENT = {
  PATH: process.env["PATH"] ?? "/usr/bin:/bin",
  LC_ALL: "C",
  TZ: "UTC",
};

export function runsAsRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Returns `postgres` if this machine has that user, else `nobody`. Throws if it has neither. */
export async function defaultAccount(): Promise<Account> {
  const users = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  for (const wanted of ["postgres", "nobody"]) {
    const [name, , uid, gid] = users.find((fields) => fields[0] === wanted) ?? [];
    if (name !== undefined && Number(uid) !== 0) return { name, uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("PostgreSQL refuses to run as root, and this machine has no user `postgres` or `nobody`.");
}

/** Returns the owner of a file or folder, or undefined if that is root, which PostgreSQL refuses. */
export async function unprivilegedOwner(path: string): Promise<Account | undefined> {
  const { uid, gid } = await stat(path);
  return uid === 0 ? undefined : { name: `user ${uid}`, uid, gid };
}

/** Returns the `uid` and `gid` options of a child process, or none if Node is already unprivileged. */
export function identityOf(account: Account | undefined): { uid?: number; gid?: number } {
  return account === undefined ? {} : { uid: account.uid, gid: account.gid };
}

/** Runs a program to its end as the account, in the root folder, which every account can enter. */
export function runAs(
  account: Account | undefined,
  file: string,
  args: readonly string[],
): Promise<RunResult> {
  const options = { cwd: "/", env: SERVER_ENVIRONMENT, ...identityOf(account) };
  return new Promise((resolve) => {
    execFile(file, args, options, (error, _stdout, stderr) => {
      resolve({ ok: error === null, stderr: stderr.trim() || (error?.message ?? "") });
    });
  });
}

/**
 * Returns true if the account can enter the folder. It asks the kernel, because mode bits leave out ACLs and mounts.
 */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  return (await runAs(account, "/bin/sh", ["-c", 'cd -- "$1"', "sh", folder])).ok;
}
