import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Config } from "../src/platform/config.ts";
import { keepPrivately, readIfPresent } from "../src/platform/private-file.ts";

function tokenFile({ dataDir }: Config): string {
  return join(dataDir, "core-token");
}

/** The core token: the variable's, else the kept one, else a new one that is kept from now on. */
export async function ensureCoreToken(config: Config): Promise<string> {
  if (config.coreToken !== undefined) return config.coreToken;
  const kept = await readIfPresent(tokenFile(config));
  return (
    kept?.trim() || (await keepPrivately(tokenFile(config), randomBytes(32).toString("base64url"))).trim()
  );
}

/** The core token of a running core on this machine. Throws Error when there is none. */
export async function findCoreToken(config: Config): Promise<string> {
  const token = config.coreToken ?? (await readIfPresent(tokenFile(config)))?.trim();
  if (!token)
    throw new Error(`No core token: set CORE_TOKEN, or DATA_DIR to the core's (now ${config.dataDir}).`);
  return token;
}
