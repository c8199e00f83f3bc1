import { readFileSync } from "node:fs";
import { realpath, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeDataFolder } from "../support/data-folder.ts";
import { programOf } from "../../cli/program.ts";
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

const CORE_TOKEN = "a-token-of-no-core";
// Port 1 refuses.
const CORE_URL = "http://127.0.0.1:1";

/** Returns what a command loads of packages, each from its own files or from the bundle. */
async function packagesOf(
  words: readonly string[],
): Promise<{ own: string[]; bundled: string[]; text: string }> {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(PRINT_LOADS)}`;
  const { stdout, stderr } = await runProgram(linked, words, { NODE_OPTIONS, CORE_TOKEN, CORE_URL });
  const own = [...stderr.matchAll(/node_modules\/((?:@[^/]+\/)?[^/\n]+)/g)].map(([, name = ""]) => name);
  const bundled = [...stderr.matchAll(/\.cache\/packages\/\w+\/(.+)\.mjs/g)].map(([, name = ""]) => name);
  return {
    own: [...new Set(own)],
    bundled: bundled.filter((name) => !name.startsWith("chunk")),
    text: stdout,
  };
}

test("the program's help loads no command and of packages the parser of words alone", async () => {
  const { own, bundled, text } = await packagesOf(["--help"]);
  expect({ own, bundled }).toEqual({ own: [], bundled: ["commander"] });
  const whole = await programOf([]);
  let expected = "";
  whole.configureOutput({ writeOut: (chunk) => void (expected += chunk) });
  whole.outputHelp();
  expect(text).toBe(expected);
});

test("a command loads packages from the bundle, and none for the service", async () => {
  const { own, bundled } = await packagesOf(["keys", "list", "--tenant", "x"]);
  expect(own).toEqual([]);
  expect(bundled).toContain("@connectrpc__connect-node");
  expect(bundled).not.toEqual(expect.arrayContaining([expect.stringMatching(/mikro-orm|fastify|pino|^pg/)]));
});

test("npx fetches no package that is missing here", () => {
  expect(readFileSync(join(root, ".npmrc"), "utf8").split("\n")).toContain("yes=false");
});
