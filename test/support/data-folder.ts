import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder for DATA_DIR, and how to remove it with all that is in it. */
export async function makeDataFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "paylink-data-"));
  // Passable, so that started by root the database stays in it: else it would be put elsewhere and left there.
  await chmod(path, 0o711);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
