/**
 * Makes the SDK's package for other projects, JavaScript with types: `npm run pack:sdk` prints the path of its .tgz, which
 * `npm install` takes. With a folder, it makes it there.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Manifest {
  readonly private?: boolean;
  readonly devDependencies?: object;
  readonly [key: string]: unknown;
}

const root = join(import.meta.dirname, "..", "..");
const folder = process.argv[2] ?? join(root, ".cache", "sdk");

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const sources = [
  "--noEmit",
  "false",
  "--declaration",
  "--outDir",
  folder,
  "--rootDir",
  root,
  join(root, "sdk", "index.ts"),
];
execFileSync(join(root, "node_modules", ".bin", "tsc"), [...compilerOptions(), ...sources], {
  stdio: "inherit",
});
const {
  private: _private,
  devDependencies: _tools,
  ...manifest
} = JSON.parse(readFileSync(join(root, "sdk", "package.json"), "utf8")) as Manifest;
const entry = { types: "./sdk/index.d.ts", default: "./sdk/index.js" };
writeFileSync(join(folder, "package.json"), `${JSON.stringify({ ...manifest, exports: entry }, null, 2)}\n`);
copyFileSync(join(root, "sdk", "README.md"), join(folder, "README.md"));
const packed = execFileSync("npm", ["pack", "--json", "--pack-destination", folder], {
  cwd: folder,
  encoding: "utf8",
});
const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
console.log(join(folder, filename));

/** The files are named, so the compiler reads no tsconfig.json: these are the ones that matter. */
function compilerOptions(): string[] {
  return [
    ["--ignoreConfig"],
    ["--target", "es2023"],
    ["--lib", "es2023,dom,dom.asynciterable"],
    ["--module", "nodenext"],
    ["--types", "node"],
    ["--strict"],
    ["--skipLibCheck"],
    ["--verbatimModuleSyntax"],
    ["--rewriteRelativeImportExtensions"],
  ].flat();
}
