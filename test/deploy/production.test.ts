import { globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { APART, BUNDLED, bundleFolder } from "../../cli/serve/packages.ts";
import { TOOLS, toolsOf, type Lock } from "../../tools/scripts/tools.ts";
import { root } from "./deployed.ts";

const RUNNING = ["tools/bank", "cli", "contract", "gateway", "gen", "src", ".cache/gen"];
const PREPARING = ["bundle", "prepare", "tools"].map((name) => `tools/scripts/${name}.ts`);
// A value that is imported, loaded later, or required; types are gone when the code runs.
const IMPORT =
  /^(?:import|export)(?! type\b)[^"';]*?\bfrom "([^"]+)"|\bimport\("([^"]+)"\)|\brequire(?:\.resolve)?\("([^"]+)"\)/gm;

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

const manifest: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const lock: Lock & { readonly packages: Readonly<Record<string, { dependencies?: object; dev?: boolean }>> } =
  JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));

/** Returns the packages that a file loads when it runs. */
function packagesOf(path: string): string[] {
  const found = [...readFileSync(join(root, path), "utf8").matchAll(IMPORT)].map((match) =>
    match.slice(1).find((name) => name !== undefined),
  );
  return found
    .filter((name) => name !== undefined)
    .filter((name) => !/^[.#]/.test(name) && !isBuiltin(name))
    .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"));
}

test("what runs after `npm ci --omit=dev` loads no development dependency", () => {
  const files = [...RUNNING.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root })), ...PREPARING];
  const loaded = new Map(files.flatMap((file) => packagesOf(file).map((name) => [name, file] as const)));
  const there = new Set(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }));
  expect([...loaded].filter(([name]) => !there.has(name))).toEqual([]);
  expect([...loaded.keys()]).toEqual(
    expect.arrayContaining(["fastify", "pg", "sharp", "@opentelemetry/sdk-node"]),
  );
});

test("the bundle has every package that the service imports, apart from those that are loaded from their folder", () => {
  const files = RUNNING.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }));
  const found = files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(IMPORT)].map(([, named, loaded]) => named ?? loaded),
  );
  const names = found.filter((name) => name !== undefined && !/^[.#]/.test(name) && !isBuiltin(name));
  const bundled = new Set(names.filter((name) => !APART.some((apart) => name?.startsWith(apart))));
  expect(bundled).toEqual(new Set(BUNDLED));
});

test("the bundle's files are Latin-1: Node keeps the text of a file in two bytes for each character otherwise", () => {
  const files = globSync("*.mjs", { cwd: bundleFolder() });
  expect(files.length).toBeGreaterThan(20);
  const wide = files.filter((file) => /[^\0-\xFF]/.test(readFileSync(join(bundleFolder(), file), "utf8")));
  expect(wide).toEqual([]);
});

test("the tools that `prepare` borrows are locked, with all that they need", () => {
  const { manifest: tools, lock: locked } = toolsOf(lock);
  const { packages } = locked as typeof lock;
  expect(Object.values((tools as Manifest).dependencies)).toEqual(
    TOOLS.map(() => expect.stringMatching(/^\d/)),
  );
  const missing = Object.values(packages).flatMap(({ dependencies = {} }) =>
    Object.keys(dependencies).filter(
      (name) => !Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`)),
    ),
  );
  expect(missing).toEqual([]);
});

test("the packages of the tests' own client are development dependencies", () => {
  const inside = Object.entries(lock.packages).filter(([path]) => path.startsWith("test/openapi/client/"));
  expect(inside.length).toBeGreaterThan(0);
  for (const [path, { dev }] of inside) expect({ path, dev }).toEqual({ path, dev: true });
});
