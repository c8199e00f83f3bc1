import { existsSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const MEMORY = "/dev/shm";
const GIB = 2 ** 30;
// A full run fills some 5 GiB with databases, and the processes beside them need memory too.
const FREE_MIN = { folder: 8 * GIB, machine: 12 * GIB };

/** Whether folders for temporary files are in memory, where a new file costs little. */
export const isInMemory = (): boolean => tmpdir().startsWith(MEMORY);

/**
 * Returns where a run keeps temporary files: what TMPDIR says, else the folder in memory if there is one with room.
 * A database has 900 files, and to make them on a disk costs as much as all that most test files do.
 */
export function temporaryFolder(): string {
  if (process.env["TMPDIR"] !== undefined || !existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  const hasRoom = bavail * bsize > FREE_MIN.folder && process.availableMemory() > FREE_MIN.machine;
  return hasRoom ? MEMORY : tmpdir();
}
