/** Measures this service beside others on one database, in interleaved rounds. Exit 1 if any answer is wrong. */
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { chartOf } from "./chart.ts";
import { costsText, newProfile } from "./costs.ts";
import { statementRates } from "./pgbench.ts";
import { comparisonText, goalsText } from "./report.ts";
import { comparisonOf, machine, type Comparison, type Results } from "./results.ts";
import { interleaved, WARM_UP_SECONDS } from "./interleaved.ts";
import { startRivals } from "./rivals.ts";
import { measureSales } from "./sale/sale.ts";
import type { Server } from "./server.ts";
import { soak } from "./soak.ts";
import { HERE, Stage, type Prepared } from "./stage.ts";
import { spreadOf, textOf } from "./statistics.ts";
import { WORKLOADS, type Workload } from "./workloads.ts";

const QUICK = { payments: 2000, rounds: 1, seconds: 0.5, connections: "4", warmUpSeconds: 0 };
const FULL = {
  payments: 100_000,
  rounds: 5,
  seconds: 2,
  connections: "1,16,64",
  warmUpSeconds: WARM_UP_SECONDS,
};
// A warm-up by sales is the cold round.
const QUICK_SALES = { rounds: 1, sellers: "4", coldSeconds: 0.5, warmSeconds: 0.5 };
const FULL_SALES = { rounds: 3, sellers: "32", coldSeconds: 30, warmSeconds: 10 };

const HELP = `npm run bench -- [options]

  --quick             one short round of each workload, to see that all of it works
  --only NAME,...     these workloads alone: ${WORKLOADS.map(({ name }) => name).join(", ")}
  --connections N,... ${FULL.connections}
  --rounds N          ${FULL.rounds}, of ${FULL.seconds} seconds each
  --against FOLDER    another checkout of this service, with its packages, in place of the other services
  --sale              whole sales, each with its event, by this service and the plain one: cold, warm, and step by step
  --sellers N         ${FULL_SALES.sellers}, with --sale: sales that go on at a time
  --seconds N         ${FULL_SALES.warmSeconds}, with --sale: those of a warm round; a cold one has three times as many
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
    sale: { type: "boolean", default: false },
    sellers: { type: "string" },
    seconds: { type: "string" },
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
    if (values.sale) return await measureWholeSales(stage);
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

async function measureWholeSales(stage: Stage): Promise<void> {
  const sales = values.quick ? QUICK_SALES : FULL_SALES;
  const warmSeconds = Number(values.seconds ?? sales.warmSeconds);
  const results = await measureSales(stage, {
    payments: scale.payments,
    rounds: Number(values.rounds ?? sales.rounds),
    sellers: Number(values.sellers ?? sales.sellers),
    coldSeconds: values.seconds === undefined ? sales.coldSeconds : warmSeconds * 3,
    warmSeconds,
    stepSeconds: scale.seconds,
    stepWarmUpSeconds: Math.min(scale.warmUpSeconds, warmSeconds),
    against: values.against === undefined ? undefined : resolve(values.against),
  });
  if (values.out === undefined) return;
  await mkdir(resolve(values.out), { recursive: true });
  const text = JSON.stringify({ machine: machine(), ...results }, null, 2);
  await writeFile(join(resolve(values.out), "sale.json"), `${text}\n`);
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
  const { payments, seconds, warmUpSeconds } = scale;
  const rounds = Number(values.rounds ?? scale.rounds);
  const connections = (values.connections ?? scale.connections).split(",").map(Number);
  const names = values.only?.split(",");
  const workloads = WORKLOADS.filter(({ name }) => names?.includes(name) ?? true);
  const comparisons: Comparison[] = [];
  for (const workload of workloads) {
    for (const count of connections) {
      const options = { connections: count, payments, seconds, warmUpSeconds };
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
  const { payments, warmUpSeconds } = scale;
  const options = { connections: 64, payments, seconds: 4, rate: Math.round(plain / 2), warmUpSeconds };
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
