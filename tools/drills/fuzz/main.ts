/** Asks a running service what random clients may ask, and holds every answer to the contract: see README.md. */
import { randomInt } from "node:crypto";
import { Random } from "../random.ts";
import { help, readOptions, type Options } from "./options.ts";
import { PARTS } from "./parts.ts";
import { report } from "./report.ts";
import { runParts, type Result } from "./run.ts";
import { startTarget, withDatabases } from "./target.ts";

const SEEDS = 2 ** 31;

async function main(): Promise<number> {
  const names = PARTS.map(({ name }) => name);
  const options = readOptions(process.argv.slice(2), names, randomInt(SEEDS));
  if (options === "help") {
    console.log(help(names));
    return 0;
  }
  console.log(`--seed ${options.seed}`);
  // PostgreSQL ends with this process, also when it is killed.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => process.exit(130));
  const results = await withDatabases(async (newDatabase) => await runRounds(newDatabase, options));
  const failures = results.flatMap(({ failure }) => failure ?? []);
  for (const failure of failures) console.error(`${failure}\n`);
  console.log(report(results));
  return failures.length > 0 ? 1 : 0;
}

/** Once, or with one seed after the other until the time is over or something was wrong, each on a database of its own. */
async function runRounds(
  newDatabase: () => Promise<string>,
  { only, seconds, ...plan }: Options,
): Promise<Result[]> {
  const parts = PARTS.filter(({ name }) => only.includes(name));
  const random = new Random(plan.seed);
  const endMs = performance.now() + (seconds ?? 0) * 1000;
  const results: Result[] = [];
  for (let { seed } = plan; ; seed = random.integer(0, SEEDS - 1)) {
    const target = await startTarget(await newDatabase(), seed);
    try {
      results.push(...(await runParts(target, parts, { ...plan, seed })));
    } finally {
      await target.close();
    }
    const isWrong = results.some(({ failure }) => failure !== undefined);
    if (isWrong || performance.now() > endMs) return results;
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  const isUsage = error instanceof TypeError && "code" in error;
  console.error(isUsage ? error.message : error);
  process.exitCode = isUsage ? 2 : 1;
}
