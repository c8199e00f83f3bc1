import { execFile } from "node:child_process";
import { cp, mkdir, readFile, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** One instruction of a container file, its continued lines joined. */
export interface Instruction {
  readonly word: string;
  readonly rest: string;
}

export function instructionsOf(text: string): Instruction[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n");
  return lines
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [word = "", ...rest] = line.split(" ");
      return { word, rest: rest.join(" ") };
    });
}

/** The paths that the first stage takes from the repository, in the two lots before and after npm runs. */
export function copiedPaths(instructions: readonly Instruction[]): { before: string[]; after: string[] } {
  const npm = instructions.findIndex(({ word, rest }) => word === "RUN" && rest.startsWith("npm ci"));
  const paths = (some: readonly Instruction[]): string[] =>
    some
      .filter(({ word, rest }) => word === "COPY" && !rest.startsWith("--from"))
      .flatMap(({ rest }) => rest.split(" ").slice(0, -1));
  return { before: paths(instructions.slice(0, npm)), after: paths(instructions.slice(npm)) };
}

/**
 * Does in a folder what the container file does in its first stage, without a network: the files before npm, its
 * `prepare`, the dependencies that are left once the development ones are gone, and the files after.
 */
export async function build(root: string, folder: string): Promise<void> {
  const { before, after } = copiedPaths(
    instructionsOf(await readFile(join(root, "deploy", "Containerfile"), "utf8")),
  );
  await copy(root, folder, before);
  await prepare(root, folder);
  await copyDependencies(root, folder);
  await copy(root, folder, after);
}

async function copy(root: string, folder: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) await cp(join(root, path), join(folder, path), { recursive: true });
}

/** npm runs it while the development dependencies are there. */
async function prepare(root: string, folder: string): Promise<void> {
  const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const modules = join(folder, "node_modules");
  await symlink(join(root, "node_modules"), modules);
  const path = `${join(modules, ".bin")}:${process.env["PATH"]}`;
  await run("bash", ["-c", scripts.prepare], { cwd: folder, env: { ...process.env, PATH: path } });
  await run("rm", [modules]);
}

/** As `npm prune --omit=dev` leaves them: by links where files can have several names, else by copies. */
async function copyDependencies(root: string, folder: string): Promise<void> {
  const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
  const packages = Object.entries<{ dev?: boolean; devOptional?: boolean }>(lock.packages);
  const kept = packages.filter(([path, { dev, devOptional }]) => path !== "" && !dev && !devOptional);
  // A package brings those inside it along.
  const outer = kept.map(([path]) => path).filter((path) => path.lastIndexOf("node_modules/") === 0);
  const script = `for path in "$@"; do
    if [ -e "$path" ]; then cp -al "$path" "$TO/$path" 2>/dev/null || { mkdir -p "$TO/$path"; cp -R "$path/." "$TO/$path"; }; fi
  done`;
  for (const path of new Set(outer.map(dirname))) await mkdir(join(folder, path), { recursive: true });
  await run("bash", ["-c", script, "bash", ...outer], { cwd: root, env: { ...process.env, TO: folder } });
}
