import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { keepPrivately, readIfPresent } from "../../../src/platform/config/private-file.ts";

const SECRET_BYTES = 32;

/** Returns the secret with this name in the data folder, or undefined. */
export async function findSecret(dataDir: string, name: string): Promise<string | undefined> {
  return (await readIfPresent(join(dataDir, name)))?.trim() || undefined;
}

/** Returns the secret with this name in the data folder, else a new one of 32 bytes, which it stores. */
export async function ensureSecret(
  dataDir: string,
  name: string,
  encoding: "base64" | "base64url",
): Promise<string> {
  const kept = await findSecret(dataDir, name);
  return (
    kept ?? (await keepPrivately(join(dataDir, name), randomBytes(SECRET_BYTES).toString(encoding))).trim()
  );
}
