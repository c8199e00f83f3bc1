import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cellsOf } from "../support/markdown.ts";

const root = join(import.meta.dirname, "..", "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

interface Manifest {
  readonly dependencies: object;
  readonly devDependencies: object;
  readonly optionalDependencies: object;
}

test("docs/dependencies.md gives a reason for each dependency of package.json, and for no other", () => {
  const manifest = JSON.parse(read("package.json")) as Manifest;
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  const rows = read("docs/dependencies.md")
    .split("\n")
    .filter((line) => /^\| (?!package)\S+ \|/.test(line))
    .map(cellsOf);
  expect(rows.map(([name]) => name)).toEqual([
    ...Object.keys({ ...dependencies, ...optionalDependencies }),
    ...Object.keys(devDependencies),
  ]);
  expect(rows.filter(([, reason = ""]) => reason === "")).toEqual([]);
});
