import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../src/platform/config/config.ts";

const root = join(import.meta.dirname, "..", "..");

/** The names that the configuration asks the environment for. */
function knownVariables(): string[] {
  const asked = new Set<string>();
  readConfig(new Proxy({}, { get: (_target, name) => void asked.add(String(name)) }));
  return [...asked];
}

describe.each(["SECURITY.md", "docs/threat-model.md"])("%s", (name) => {
  test("names files and links that exist, and variables that there are", async () => {
    const text = await readFile(join(root, name), "utf8");
    const links = [...text.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path = ""]) => join(dirname(name), path));
    const files = [...text.matchAll(/`([\w./-]+\/[\w.-]+\.\w+)`/g)].map(([, path = ""]) => path);
    for (const path of [...links, ...files]) await stat(join(root, path));
    expect(links).not.toEqual([]);
    const words = [...text.matchAll(/`([A-Z][A-Z\d]*_[A-Z\d_]+)`/g)].map(([, word = ""]) => word);
    const unknown = words.filter((word) => !knownVariables().some((known) => known.startsWith(word)));
    expect(unknown).toEqual([]);
    expect(text.split("\n").filter((line) => line.length > 130 && !line.startsWith("|"))).toEqual([]);
  });
});

test("the README leads to both", async () => {
  const text = await readFile(join(root, "README.md"), "utf8");
  for (const name of ["SECURITY.md", "docs/threat-model.md"]) expect(text).toContain(`](${name})`);
});
