import type { Config } from "../../../src/platform/config/config.ts";
import { ensureSecret, findSecret } from "./kept-secret.ts";

const NAME = "core-token";

/** Returns the core token: CORE_TOKEN, else the stored one, else a new one, which it stores. */
export async function ensureCoreToken({ coreToken, dataDir }: Config): Promise<string> {
  return coreToken ?? (await ensureSecret(dataDir, NAME, "base64url"));
}

/** Returns the core token of a running core on this machine. Throws Error if no core runs. */
export async function findCoreToken({ coreToken, dataDir }: Config): Promise<string> {
  const token = coreToken ?? (await findSecret(dataDir, NAME));
  if (!token) throw new Error(`No core token: set CORE_TOKEN, or DATA_DIR to the core's (now ${dataDir}).`);
  return token;
}
