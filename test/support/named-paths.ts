import { existsSync, globSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const ENDINGS = /\.(ts|js|json|md|proto|sh|yaml|css|html)$/;
const PATH = /^[\w./<>*-]+$/;

/** A path that a page names, and the folders in which it may be meant: relative to the root. */
export interface NamedPath {
  readonly text: string;
  readonly folders: readonly string[];
}

/**
 * The paths that a page names: links, and what is in backticks and is a file by its ending, a folder by a slash at its
 * end, or begins with a folder of the root. A path is meant from the root, from the page's own folder, or from a folder
 * that its own paragraph or list item names. Addresses ("/metrics") and hidden names (".data/"), which are made on the
 * machine, are none.
 */
export function namedPaths(page: string, markdown: string, root: string): NamedPath[] {
  const own = dirname(page);
  return blocksOf(markdown).flatMap((block) => {
    const links = [...block.matchAll(/\]\((?!\w+:|#)([^)#]+)/g)].map(([, text = ""]) => text);
    const quoted = [...block.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);
    const texts = [...new Set([...links, ...quoted.filter((text) => isPath(text, root))])];
    const named = texts.filter((text) => text.endsWith("/"));
    const outside = [own, "."].flatMap((folder) => named.map((text) => join(folder, text)));
    const inside = outside.flatMap((outer) => ["", ...named].map((inner) => join(outer, inner)));
    return texts.map((text) => ({ text, folders: [own, ".", ...inside] }));
  });
}

/** The files and folders of the root that match a named path. `*` matches any characters, and so does `<name>`. */
export function pathsMeant({ text, folders }: NamedPath, root: string): string[] {
  return folders.flatMap((folder) => {
    const path = normalize(join(folder, text)).replaceAll(/<[^>]+>/g, "*");
    if (path.includes("*")) return globSync(path, { cwd: root });
    return existsSync(join(root, path)) ? [path] : [];
  });
}

/** Paragraphs and top list items, each with the items under it, without fenced code. */
function blocksOf(markdown: string): string[] {
  return markdown.replaceAll(/^```.*?^```$/gms, "").split(/\n\s*\n|\n(?=- )/);
}

function isPath(text: string, root: string): boolean {
  if (!PATH.test(text) || text.startsWith("/") || text.split("/").some(isHidden)) return false;
  if (ENDINGS.test(text) || text.endsWith("/")) return true;
  const [first = "", ...more] = text.split("/");
  return more.length > 0 && isFolder(join(root, first));
}

function isHidden(step: string): boolean {
  return step.startsWith(".") && step !== "." && step !== "..";
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
