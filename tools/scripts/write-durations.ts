/**
 * Writes test/durations.json from the report of a full run: the longest test files begin first, and `npm test` leaves most of
 * those that it names to `npm run test:full`.
 *
 *     npm run test:full -- --reporter=default --reporter=json --outputFile.json=.cache/report.json
 *     npx node tools/scripts/write-durations.ts .cache/report.json
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { requirePinnedNode } from "./pinned-node.ts";

requirePinnedNode();

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
  }[];
}

const ROOT = join(import.meta.dirname, "..", "..");
// So `npm test` takes less than four minutes on two cores.
const SECONDS_MIN = 2;

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("Usage: npx node tools/scripts/write-durations.ts REPORT.json");
const { testResults } = JSON.parse(readFileSync(file, "utf8")) as Report;
const durations = testResults
  .map(({ name, startTime, endTime }) => ({
    path: relative(ROOT, name),
    seconds: (endTime - startTime) / 1000,
  }))
  .filter(({ seconds }) => seconds >= SECONDS_MIN)
  .toSorted((a, b) => b.seconds - a.seconds || (a.path < b.path ? -1 : 1));
const lines = Object.fromEntries(durations.map(({ path, seconds }) => [path, Math.round(seconds)]));
writeFileSync(join(ROOT, "test", "durations.json"), `${JSON.stringify(lines, null, 2)}\n`);
