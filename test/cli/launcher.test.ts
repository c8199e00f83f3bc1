import { readFileSync } from "node:fs";
import { realpath, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeDataFolder } from "../support/data-folder.ts";
import { forFile } from "../support/for-file.ts";
import { runProgram } from "../support/process.ts";

const root = join(import.meta.dirname, "..", "..");
const folder = await forFile(makeDataFolder().then(({ path, remove }) => ({ path, close: remove })));
// npm links it like this.
const linked = join(folder.path, "paylink");
await symlink(join(root, "cli", "bin", "paylink"), linked);

/** Prints the address of every file that Node loads. */
const PRINT_LOADS = `import { registerHooks } from "node:module";
registerHooks({ load(url, context, next) { console.error(url); return next(url, context); } });`;

test("a link to the command runs it with the pinned Node, also where there is no other", async () => {
  const { code, stdout, stderr } = await runProgram(linked, ["completion", "zsh"], { PATH: "/usr/bin:/bin" });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(await realpath(join(root, "node_modules", "node", "bin", "node")));
});

test("help loads neither gRPC nor the database's driver", async () => {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(PRINT_LOADS)}`;
  const { code, stderr } = await runProgram(linked, ["--help"], { NODE_OPTIONS });
  expect(code).toBe(0);
  const packages = [...stderr.matchAll(/node_modules\/((?:@[^/]+\/)?[^/\n]+)/g)].map(([, name = ""]) => name);
  expect([...new Set(packages)].toSorted()).toEqual([
    "@bomb.sh/tab",
    "@bufbuild/protobuf",
    "@bufbuild/protovalidate",
    "commander",
    "decimal.js",
    "ipaddr.js",
  ]);
});

test("npx fetches no package that is missing here", () => {
  expect(readFileSync(join(root, ".npmrc"), "utf8").split("\n")).toContain("yes=false");
});
