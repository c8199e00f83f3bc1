import { homedir } from "node:os";
import { join } from "node:path";
import { newSecret } from "../../../src/webhooks/signature.ts";
import { keepPrivately, readIfPresent, replacePrivately } from "../../../src/platform/config/private-file.ts";

/**
 * Returns the secret that `listen` signs with for a tenant: the same one at each run of this user on this machine, until
 * `isRenewed` replaces it. Throws Error when the user's configuration folder cannot be read or written.
 */
export async function listenSecret(tenant: string, isRenewed: boolean): Promise<string> {
  const folder = join(process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "paylink");
  // A tenant's id, or what was given in its place: the name of a file and no path.
  const path = join(folder, `listen-secret-${encodeURIComponent(tenant)}`);
  try {
    if (isRenewed) await replacePrivately(path, `${newSecret()}\n`);
    const kept = (await readIfPresent(path)) ?? (await keepPrivately(path, `${newSecret()}\n`));
    return kept.trim();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The secret to sign with cannot be kept: ${why}. XDG_CONFIG_HOME names another folder for it.`,
      { cause: error },
    );
  }
}
