import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../../../src/platform/db/embedded-postgres/file-system.ts";
import { findingsOf, type Finding } from "./finding.ts";

const { ok, problem } = findingsOf("keys");
const FILES = ["core-token", "data-key", "demo-keys.json"];
const BY_OTHERS = 0o077;

/** Facts about a file that holds a secret. */
export interface PrivateFile {
  readonly path: string;
  readonly isFile: boolean;
  readonly mode: number;
  readonly uid: number;
}

/** Reads the facts about the files with secrets in the data folder, never their content. */
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

/** Checks the facts; `uid` is the user of this process. */
export function judgePrivateFiles(files: readonly PrivateFile[], uid: number | undefined): Finding[] {
  const problems = files.flatMap(({ path, isFile, mode, uid: owner }) => {
    if (!isFile)
      return problem(`${path} is not an ordinary file`, "Put the file itself there, not a link to it.");
    if ((mode & BY_OTHERS) !== 0) {
      const advice = `Run chmod 600 ${path}; if another user may have read it, replace the secrets in it.`;
      return problem(`${path} can be read by other users (mode ${mode.toString(8)})`, advice);
    }
    // Root can read the files of a service that runs as another user.
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
