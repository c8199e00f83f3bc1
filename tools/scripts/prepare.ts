/**
 * Generates the code of foreign schemas, which gen/ and the service import, and bundles packages; `npm ci` runs it. `npm ci --omit=dev` leaves
 * the tools out: they are then installed for this moment alone, in the versions of the lock file.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { bundle } from "./bundle.ts";
import { TOOLS, toolsOf } from "./tools.ts";

const root = join(import.meta.dirname, "..", "..");
const cache = join(root, ".cache");

if (TOOLS.every((name) => existsSync(join(root, "node_modules", name)))) await prepare(root);
else await borrow(prepare);

async function prepare(tools: string): Promise<void> {
  // Node's headers: 67 MB of no use here, which npm cannot leave out.
  rmSync(join(root, "node_modules", "node", "node_modules"), { recursive: true, force: true });
  const path = [join(tools, "node_modules", ".bin"), process.env["PATH"]].join(delimiter);
  execFileSync("buf", ["generate", "--template", "tools/buf.gen.foreign.yaml"], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, PATH: path },
  });
  await bundle(tools).catch((error: unknown) => {
    console.error("The packages are not bundled, so that commands and starts take longer:", error);
  });
}

/** Installs the tools in a folder of their own, and removes it again. */
async function borrow(use: (tools: string) => Promise<void>): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "tools-"));
  try {
    const { manifest, lock } = toolsOf(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")));
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
    cpSync(join(root, ".npmrc"), join(folder, ".npmrc"));
    npm(["ci", "--ignore-scripts"], folder);
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the npm that runs this, with the Node that runs it. */
function npm(args: readonly string[], cwd: string): void {
  const { npm_node_execpath: node, npm_execpath: script } = process.env;
  if (node !== undefined && script !== undefined) {
    execFileSync(node, [script, ...args], { cwd, stdio: "inherit" });
  } else {
    execFileSync("npm", args, { cwd, stdio: "inherit" });
  }
}
