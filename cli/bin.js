#!/usr/bin/env node
// Runs the command under the Node that the project pins, not the one that started this file.
import { spawn } from "node:child_process";
import module, { createRequire } from "node:module";
import { dirname, join } from "node:path";

const folder = import.meta.dirname ?? dirname(new URL(import.meta.url).pathname);
const main = join(folder, "main.ts");
if (Number(process.versions.node.split(".")[0]) >= 24) {
  // As main.ts does, but before Node reads any TypeScript: the part that strips types costs more than a command.
  module.enableCompileCache(join(folder, "..", ".cache", "compiled"));
  const { run } = await import(main);
  await run();
} else {
  const node = join(dirname(createRequire(import.meta.url).resolve("node/package.json")), "bin", "node");
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}
