import { chown, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { canEnter } from "./account.ts";
import type { Account } from "./account.ts";

export const PORT = 5432;

/** The socket's name in its folder. */
export const SOCKET = `.s.PGSQL.${PORT}`;

const PREFIX = "paylink-pg-";
// The smallest limit of all platforms is macOS's 104 bytes, with the terminating zero.
const PATH_BYTES_MAX = 103;

/** Creates a private folder for the server's socket, with a path that is short and plain enough for PostgreSQL. */
export async function makeSocketFolder(account: Account | undefined): Promise<string> {
  const folder = await mkdtemp(join(await shortParent(account), PREFIX));
  if (account !== undefined) await chown(folder, account.uid, account.gid);
  return folder;
}

async function shortParent(account: Account | undefined): Promise<string> {
  const parent = tmpdir();
  const length = Buffer.byteLength(join(parent, `${PREFIX}XXXXXX`, SOCKET));
  // PostgreSQL reads commas and quotes in the path as a list of folders.
  const usable = length <= PATH_BYTES_MAX && /^[\w./-]+$/.test(parent);
  return usable && (account === undefined || (await canEnter(account, parent))) ? parent : "/tmp";
}

/** Returns true if the path has the form of `makeSocketFolder`. */
export function isSocketFolder(path: string): boolean {
  return path.startsWith("/") && /^paylink-pg-\w{6}$/.test(basename(path));
}
