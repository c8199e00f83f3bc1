import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../../src/platform/embedded-postgres/file-system.ts";
import { findingsOf, type Finding } from "./finding.ts";

const { ok, problem } = findingsOf("keys");
const FILES = ["core-token", "data-key", "demo-keys.json"];
const BY_OTHERS = 0o077;

/** A file that holds a secret, as it lies there. */
export interface PrivateFile {
  readonly path: string;
  readonly isFile: boolean;
  readonly mode: number;
  readonly uid: number;
}

/** Looks at the files of the data folder that hold secrets; never into them. */
export async function lookAtPrivateFiles(dataDir: string): Promise<PrivateFile[]> {
  const found: PrivateFile[] = [];
  for (const name of FILES) {
    const path = join(dataDir, name);
    try {
      const file = await lstat(path);
      found.push({ path, isFile: file.isFile(), mode: file.mode & 0o777, uid: file.uid });
    } catch (error) {
      if (!hasCode(error, "ENOENT", "ENOTDIR", "EACCES")) throw error;
    }
  }
  return found;
}

/** Judges them; `uid` is this process's user. */
export function judgePrivateFiles(files: readonly PrivateFile[], uid: number | undefined): Finding[] {
  const problems = files.flatMap(({ path, isFile, mode, uid: owner }) => {
    if (!isFile)
      return problem(`${path} is not an ordinary file`, "Put the file itself there, not a link to it.");
    if ((mode & BY_OTHERS) !== 0) {
      const advice = `Run chmod 600 ${path}; if somebody may have read it, replace what it holds.`;
      return problem(`${path} can be read by other users (mode ${mode.toString(8)})`, advice);
    }
    // Root reads the files of a service that runs as another user.
    if (uid !== undefined && uid !== 0 && owner !== uid) {
      return problem(
        `${path} belongs to user ${owner}, this is user ${uid}`,
        "Run as that user, or chown the file.",
      );
    }
    return [];
  });
  if (problems.length > 0) return problems;
  return [
    ok(files.length > 0 ? `${files.length} files, readable by their owner alone` : "made by the first start"),
  ];
}
