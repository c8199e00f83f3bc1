import { access, constants, stat, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { defined } from "../../../contract/defined.ts";
import { findingsOf, lineOf, type Finding } from "./finding.ts";

const { ok, warning, problem } = findingsOf("data folder");
const MEGABYTE = 1024 * 1024;
const FREE_MB_NEEDED = 200;
const FREE_MB_WISHED = 1024;
const WRITABLE_BY_OTHERS = 0o022;

/** Facts about DATA_DIR. */
export interface DataFolder {
  readonly path: string;
  readonly exists: boolean;
  /** Why the folder, or the nearest existing folder above it, is not writable. Absent: it is. */
  readonly notWritable?: string;
  readonly mode: number;
  readonly freeMegabytes: number;
}

/** Reads the facts about the folder. The first start creates it if it is missing. */
export async function lookAtDataFolder(dataDir: string): Promise<DataFolder> {
  const path = resolve(dataDir);
  const there = await nearest(path);
  const found = await stat(there);
  const { bavail, bsize } = await statfs(there);
  const notWritable = found.isDirectory()
    ? await access(there, constants.W_OK | constants.X_OK).then(() => undefined, lineOf)
    : `${there} is not a folder`;
  return defined({
    path,
    exists: there === path,
    mode: found.mode & 0o777,
    freeMegabytes: Math.floor((bavail * bsize) / MEGABYTE),
    notWritable,
  });
}

/** Returns the path if it exists, else the nearest folder above it that does. */
async function nearest(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  return isThere ? path : await nearest(dirname(path));
}

export function judgeDataFolder({ path, exists, notWritable, mode, freeMegabytes }: DataFolder): Finding {
  const found = `${path} ${exists ? "is writable" : "is made by the first start"}, ${freeMegabytes} MB free`;
  if (notWritable !== undefined) {
    return problem(
      `${path} cannot be written to: ${notWritable}`,
      "Give it to this user, or set DATA_DIR to another.",
    );
  }
  if (freeMegabytes < FREE_MB_NEEDED) {
    return problem(found, `Free some space: the database needs at least ${FREE_MB_NEEDED} MB.`);
  }
  if (exists && (mode & WRITABLE_BY_OTHERS) !== 0) {
    const advice = `Others could put keys of theirs there: chmod go-w ${path}`;
    return warning(`${path} can be written to by other users (mode ${mode.toString(8)})`, advice);
  }
  if (freeMegabytes < FREE_MB_WISHED)
    return warning(found, `Free some space: ${FREE_MB_WISHED} MB are soon used.`);
  return ok(found);
}
