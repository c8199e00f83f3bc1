/** Measures this service beside others on one database, in interleaved rounds. Exit 1 if any answer is wrong. */
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { chartOf } from "./chart.ts";
import { costsText, newProfile } from "./costs.ts";
import { statementRates } from "./pgbench.ts";
import { comparisonText, goalsText } from "./report.ts";
import { comparisonOf, machine, type Comparison, type Results } from "./results.ts";
import { startRivals } from "./rivals.ts";
import { round, type RoundOptions, type Sample } from "./round.ts";
import type { Server } from "./server.ts";
import { soak } from "./soak.ts";
import { HERE, Stage, type Prepared } from "./stage.ts";
import { spreadOf, textOf } from "./statistics.ts";
import { WORKLOADS, type Workload } from "./workloads.ts";

const QUICK = { payments: 2000, rounds: 1, seconds: 0.5, connections: "4" };
const FULL = { payments: 100_000, rounds: 5, seconds: 2, connections: "1,16,64" };
// V8 compiles a service of many functions for as long as this: until then, its CPU time a request falls.
const WARM_UP_SECONDS = 12;

const HELP = `npm run bench -- [options]

  --quick             one short round of each workload, to see that all of it works
  --only NAME,...     these workloads alone: ${WORKLOADS.map(({ name }) => name).join(", ")}
  --connections N,... ${FULL.connections}
  --rounds N          ${FULL.rounds}, of ${FULL.seconds} seconds each
  --against FOLDER    another checkout of this service, with its packages, in place of the other services
  --soak MINUTES      new links for so long, with the memory of every half minute, and nothing else
  --profile           this service alone, and the functions that its CPU time is spent in
  --out FOLDER        write results.json and results.svg there
`;

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    connections: { type: "string" },
    rounds: { type: "string" },
    against: { type: "string" },
    soak: { type: "string" },
    profile: { type: "boolean", default: false },
    out: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const scale = values.quick ? QUICK : FULL;
if (values.help) process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const stage = await Stage.open();
  try {
    const prepared = await stage.prepare("bench", scale.payments);
    if (values.profile) return await profile(stage, prepared);
    const ours = await stage.serve("ours", prepared);
    if (values.soak !== undefined) return await soak(stage, ours, Number(values.soak));
    const servers = await startOthers(stage, ours, () => startRivals(stage, prepared, ours));
    const results = await measure(stage, servers, prepared.url);
    if (results.halfLoad) console.log(goalsText(results));
    if (values.out !== undefined) await write(results, resolve(values.out));
  } finally {
    await stage.close();
  }
}

async function profile(stage: Stage, prepared: Prepared): Promise<void> {
  const written = await newProfile();
  const ours = await stage.serve("ours", prepared, HERE, written.nodeOptions);
  await measure(stage, () => [ours], prepared.url);
  await ours.stop();
  console.log(await costsText(written));
}

/** Returns a function that says who is compared under a workload, this service first. */
async function startOthers(
  stage: Stage,
  ours: Server,
  rivals: () => ReturnType<typeof startRivals>,
): Promise<(workload: Workload) => Server[]> {
  if (values.against === undefined) {
    const others = await rivals();
    return (workload) => [ours, ...workload.rivals.map((name) => others[name])];
  }
  const checkout = resolve(values.against);
  const other = await stage.serve("other", await stage.prepare("other", scale.payments, checkout), checkout);
  return () => [ours, other];
}

async function measure(
  stage: Stage,
  serversOf: (workload: Workload) => Server[],
  databaseUrl: string,
): Promise<Results> {
  const { payments, seconds } = scale;
  const rounds = Number(values.rounds ?? scale.rounds);
  const connections = (values.connections ?? scale.connections).split(",").map(Number);
  const names = values.only?.split(",");
  const workloads = WORKLOADS.filter(({ name }) => names?.includes(name) ?? true);
  const comparisons: Comparison[] = [];
  for (const workload of workloads) {
    for (const count of connections) {
      const options = { connections: count, payments, seconds };
      const samples = await interleaved(stage, workload, serversOf(workload), rounds, options);
      const comparison = comparisonOf(workload, count, samples);
      console.log(comparisonText(comparison));
      comparisons.push(comparison);
    }
  }
  // Of new links at the most connections, more is measured.
  const isMore = !values.quick && values.against === undefined && !values.profile;
  const load = isMore ? await halfLoad(stage, serversOf, rounds, comparisons) : undefined;
  return {
    machine: machine(),
    rounds,
    seconds,
    comparisons,
    halfLoad: load,
    statements: load && (await statementRates(databaseUrl, { connections: 64, seconds: 5 })),
  };
}

/** A long round of each service warms it up; then they take turns, and who goes first alternates. */
async function interleaved(
  { postgresPid }: Stage,
  workload: Workload,
  servers: readonly Server[],
  rounds: number,
  options: RoundOptions,
): Promise<Map<string, Sample[]>> {
  const warmUp = { ...options, seconds: WARM_UP_SECONDS };
  if (!values.quick) for (const server of servers) await round(server, workload, postgresPid, warmUp);
  const samples = new Map<string, Sample[]>(servers.map(({ name }) => [name, []]));
  for (let index = 0; index < rounds; index++) {
    for (const server of index % 2 === 0 ? servers : servers.toReversed()) {
      samples.get(server.name)?.push(await round(server, workload, postgresPid, options));
    }
  }
  return samples;
}

async function halfLoad(
  stage: Stage,
  serversOf: (workload: Workload) => Server[],
  rounds: number,
  comparisons: readonly Comparison[],
): Promise<Results["halfLoad"]> {
  const workload = WORKLOADS.find(({ name }) => name === "create");
  const full = comparisons.find((each) => each.workload === "create" && each.connections === 64);
  const plain = full?.measured.find(({ server }) => server === "plain")?.figures.perSecond.median;
  if (workload === undefined || plain === undefined) return undefined;
  const servers = serversOf(workload).filter(({ name }) => name !== "floor");
  const { payments } = scale;
  const options = { connections: 64, payments, seconds: 4, rate: Math.round(plain / 2) };
  const samples = await interleaved(stage, workload, servers, rounds, options);
  const spreads = [...samples].map(
    ([name, list]) => [name, spreadOf(list.map(({ p99Ms }) => p99Ms))] as const,
  );
  console.log(`\nnew links, ${options.rate} a second: 99th percentile in ms`);
  for (const [name, spread] of spreads) console.log(`${name.padEnd(10)}  ${textOf(spread, 0)}`);
  return Object.fromEntries(spreads);
}

async function write(results: Results, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "results.json"), `${JSON.stringify(results, null, 2)}\n`);
  await writeFile(join(folder, "results.svg"), await chartOf(results));
}
