import { createHash } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { hasCode } from "../../src/platform/db/embedded-postgres/file-system.ts";

/**
 * Writes a file that must not exist. Returns its lower-case hex SHA-256. Throws Error when there is such a file, and removes
 * what it has written when the bytes end by an error.
 */
export async function writeNewFile(path: string, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const file = await openNew(path);
  const hash = createHash("sha256");
  try {
    for await (const part of bytes) {
      hash.update(part);
      await file.writeFile(part);
    }
    await file.sync();
    await file.close();
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
  return hash.digest("hex");
}

async function openNew(path: string) {
  try {
    return await open(path, "wx", 0o600);
  } catch (error) {
    if (hasCode(error, "EEXIST"))
      throw new Error(`${path} exists. Name another file by --to.`, { cause: error });
    throw error;
  }
}
