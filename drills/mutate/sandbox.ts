import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "..", "..");

/** Copies the tree with what is changed and not committed, but for node_modules, which it shares. */
export async function copyTree(): Promise<{ root: string; remove: () => Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), "paylink-mutate-"));
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const { stdout } = await promisify(execFile)("git", list, { cwd: ROOT, maxBuffer: 2 ** 26 });
  for (const file of [...new Set(stdout.split("\0")), ".cache"].filter((name) => name !== "")) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    // A file that is deleted and not yet committed is listed as well.
    await cp(join(ROOT, file), join(root, file), { recursive: true }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    });
  }
  await symlink(join(ROOT, "node_modules"), join(root, "node_modules"));
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}
