import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { basename, dirname, join } from "node:path";
import type * as Rolldown from "rolldown";
import { APART, BUNDLED, bundleFolder, HTTP, INDEX, type BundleIndex } from "../../cli/serve/packages.ts";

const ROOT = join(import.meta.dirname, "..", "..");
// A prefix that no file can have.
const ENTRY = "\0entry:";
const NAME = /^[A-Za-z_$][\w$]*$/;

/** Bundles what the service imports of packages, with the tools in that folder's packages. Removes other bundles. */
export async function bundle(tools: string): Promise<void> {
  const folder = bundleFolder();
  const all = dirname(folder);
  mkdirSync(all, { recursive: true });
  const draft = mkdtempSync(join(all, ".draft-"));
  try {
    await write(tools, draft);
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  for (const name of readdirSync(all)) {
    if (name !== basename(folder)) rmSync(join(all, name), { recursive: true, force: true });
  }
}

async function write(tools: string, folder: string): Promise<void> {
  const path = createRequire(join(tools, "package.json")).resolve("rolldown");
  const { rolldown } = (await import(path)) as typeof Rolldown;
  const files = new Map(BUNDLED.map((name) => [name, name.replaceAll("/", "__").replace(/\.js$/, "")]));
  const bundled = await rolldown({
    cwd: ROOT,
    platform: "node",
    input: Object.fromEntries([...files].map(([name, file]) => [file, ENTRY + name])),
    external: (id) => isBuiltin(id) || APART.some((name) => id.startsWith(name)) || id === "pg-native",
    preserveEntrySignatures: "strict",
    plugins: [await entries(), latin1()],
    logLevel: "silent",
  });
  await bundled.write({
    dir: folder,
    format: "esm",
    // The names of classes are read: in the log, and by the ORM.
    keepNames: true,
    comments: false,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    entryFileNames: "[name].mjs",
    chunkFileNames: "chunk-[hash].mjs",
  });
  await bundled.close();
  writeFileSync(join(folder, "http.mjs"), httpText());
  const index: BundleIndex = Object.fromEntries([
    ...[...files].map(([name, file]) => [name, `${file}.mjs`]),
    [HTTP, "http.mjs"],
    ["http", "http.mjs"],
  ]);
  writeFileSync(join(folder, INDEX), JSON.stringify(index));
}

/** Gives each entry the names that Node finds in a package: those of CommonJS are found by running it. */
async function entries(): Promise<Rolldown.Plugin> {
  const texts = new Map<string, string>();
  for (const name of BUNDLED) {
    const names = Object.keys((await import(name)) as object).filter((each) => NAME.test(each));
    texts.set(ENTRY + name, `export { ${names.join(", ")} } from ${JSON.stringify(name)};`);
  }
  const importer = join(ROOT, "cli", "main.ts");
  return {
    name: "entries",
    async resolveId(id, from) {
      if (id.startsWith(ENTRY)) return id;
      return from?.startsWith(ENTRY) ? await this.resolve(id, importer, { skipSelf: true }) : undefined;
    },
    load: (id) => texts.get(id),
  };
}

/** Escapes what is not in Latin-1: Node keeps the text of a file that has such a character in two bytes for each. */
function latin1(): Rolldown.Plugin {
  return {
    name: "latin1",
    generateBundle(_, files) {
      for (const file of Object.values(files)) {
        if (file.type !== "chunk") continue;
        file.code = file.code.replaceAll(
          /[^\0-\xFF]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
        );
      }
    },
  };
}

function httpText(): string {
  const http = process.getBuiltinModule("node:http");
  const names = Object.entries(Object.getOwnPropertyDescriptors(http))
    .filter(([name, { value }]) => value !== undefined && NAME.test(name))
    .map(([name]) => name);
  return `const http = process.getBuiltinModule("node:http");\nexport default http;\nexport const { ${names.join(", ")} } = http;\n`;
}
