import { chmod, lstat, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canEnter } from "./account.ts";
import type { Account } from "./account.ts";
import { hasCode } from "./file-system.ts";

/** A folder of root's that the unprivileged account can enter. */
export interface RootHome {
  readonly folder: string;
  /** True: its contents survive a restart of the machine. */
  readonly lasting: boolean;
}

/** Returns the first usable one of `/var/lib/paylink`, `<tmp>/paylink` and `/tmp/paylink`. Throws if there is none. */
export async function findRootHome(account: Account): Promise<RootHome> {
  for (const parent of ["/var/lib", tmpdir(), "/tmp"]) {
    const folder = join(parent, "paylink");
    if ((await claim(folder)) && (await canEnter(account, folder))) {
      return { folder, lasting: parent === "/var/lib" };
    }
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and there is no folder that ${account.name} can enter: ` +
      "neither /var/lib/paylink nor one for temporary files could be made.",
  );
}

/** Creates the folder, or accepts an existing one only if no other user could have written to it. */
async function claim(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    await chmod(folder, 0o711);
    return true;
  } catch (error) {
    if (!hasCode(error, "EEXIST")) return false;
  }
  const found = await lstat(folder);
  return found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0;
}
