import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
const SCRIPT = join("tools", "scripts", "breaking.ts");
const OTHER = `data:text/javascript,Object.defineProperty(process, "versions", { value: { ...process.versions, node: "24.0.0" } })`;

test("a script that another Node starts says so, and how to start it", () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [...args, SCRIPT], { cwd: ROOT, encoding: "utf8" });
  const refused = run("--import", OTHER);
  expect([refused.status, refused.stderr]).toEqual([
    1,
    `This is Node 24.0.0, and the project has ${process.versions.node}: npx node ${join(ROOT, SCRIPT)}\n`,
  ]);
  expect(run().stderr).not.toContain("This is Node");
});
