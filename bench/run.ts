/** Compares ours with the baseline, interleaved in one run. Exit 1 when ours is slower in the median. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import autocannon from "autocannon";
import pg from "pg";
import { migrate } from "../src/migrations/migrate.ts";
import { launchPostgres } from "../src/platform/embedded-postgres/launch-postgres.ts";
import { prepareData } from "./data.ts";

const QUICK = process.argv.includes("--quick");
const ROUNDS = QUICK ? 3 : 9;
const ROUND_SECONDS = QUICK ? 1 : 3;
const CONNECTIONS = 16;
const CORE_TOKEN = "token-of-the-benchmark";

interface Server {
  readonly name: string;
  readonly child: ChildProcess;
  readonly address: string;
}

interface Sample {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
}

const LINK = {
  amount: 15_990,
  currency: "BRL",
  reference: "order-1042",
  description: "Running shoes",
  product_ref: "SKU-7",
  metadata: { order: "1042", channel: "web" },
};

async function startServer(name: string, script: string, databaseUrl: string): Promise<Server> {
  const env = { ...process.env, DATABASE_URL: databaseUrl, CORE_TOKEN, NODE_ENV: "production" };
  // Each writes a log, which is part of what is measured and not for this page.
  const stderr = openSync(join(folder, `${name}.log`), "a");
  const child = fork(join(import.meta.dirname, script), {
    env,
    stdio: ["ignore", "inherit", stderr, "ipc"],
  });
  const [{ address }] = (await once(child, "message")) as [{ address: string }];
  return { name, child, address };
}

async function cpuMicros({ child }: Server): Promise<number> {
  const answered = once(child, "message");
  child.send("cpu");
  const [{ cpu }] = (await answered) as [{ cpu: NodeJS.CpuUsage }];
  return cpu.user + cpu.system;
}

let sequence = 0;

function day(offset: number): string {
  return new Date(Date.now() - offset * 86_400_000).toISOString().slice(0, 10);
}

async function round(
  server: Server,
  workload: "create" | "list",
  key: string,
  seconds: number,
): Promise<Sample> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const request: autocannon.Request =
    workload === "create"
      ? {
          method: "POST",
          path: "/v1/payment_links",
          body: JSON.stringify(LINK),
          setupRequest: (next) => ({
            ...next,
            headers: { ...headers, "idempotency-key": `bench-${process.pid}-${sequence++}` },
          }),
        }
      : { method: "GET", path: `/v1/payments?from=${day(30)}&to=${day(1)}&limit=100`, headers };
  const before = await cpuMicros(server);
  const result = await autocannon({
    url: server.address,
    connections: CONNECTIONS,
    duration: seconds,
    requests: [request],
  });
  const cpu = (await cpuMicros(server)) - before;
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${server.name}: ${result.non2xx} refused answers`);
  const total = result["2xx"];
  return {
    perSecond: total / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    cpuUs: cpu / total,
  };
}

/** Both must do the same work: their answers have the same members. */
async function requireSameShape(servers: readonly Server[], key: string): Promise<void> {
  const shapes = await Promise.all(
    servers.map(async ({ address }) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const link = await fetch(`${address}/v1/payment_links`, {
        method: "POST",
        headers: { ...headers, "idempotency-key": address },
        body: JSON.stringify(LINK),
      });
      const list = await fetch(`${address}/v1/payments?from=2020-01-01&to=2099-12-31&limit=100`, { headers });
      const page = (await list.json()) as { data: object[] };
      const made = (await link.json()) as Record<string, unknown>;
      return JSON.stringify([
        Object.entries({ ...made, id: "", checkout_url: "", created: 0, expires_at: 0 }),
        page,
      ]);
    }),
  );
  if (shapes[0] !== shapes[1]) throw new Error(`the two answer differently:\n${shapes.join("\n")}`);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function spread(values: readonly number[], digits: number): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return `${median(values).toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}

async function compare(
  workload: "create" | "list",
  ours: Server,
  baseline: Server,
  key: string,
): Promise<boolean> {
  for (const server of [ours, baseline]) await round(server, workload, key, ROUND_SECONDS);
  const samples: { ours: Sample; baseline: Sample }[] = [];
  for (let index = 0; index < ROUNDS; index++) {
    // Who goes first alternates, so that a drift of the machine favours neither.
    const order = index % 2 === 0 ? [ours, baseline] : [baseline, ours];
    const results = new Map<Server, Sample>();
    for (const server of order) results.set(server, await round(server, workload, key, ROUND_SECONDS));
    samples.push({ ours: results.get(ours) as Sample, baseline: results.get(baseline) as Sample });
  }
  const ratios = samples.map((pair) => pair.ours.perSecond / pair.baseline.perSecond);
  console.log(`\n${workload === "create" ? "POST /v1/payment_links" : "GET /v1/payments, 100 of 100,000"}`);
  for (const name of ["ours", "baseline"] as const) {
    const of = (pick: (sample: Sample) => number): number[] => samples.map((pair) => pick(pair[name]));
    console.log(
      `  ${name.padEnd(8)}  requests/s ${spread(
        of((s) => s.perSecond),
        0,
      )}  p50 ms ${median(of((s) => s.p50Ms))}` +
        `  p99 ms ${median(of((s) => s.p99Ms))}  CPU us/request ${spread(
          of((s) => s.cpuUs),
          0,
        )}`,
    );
  }
  console.log(`  ratio     ${spread(ratios, 2)}, median of ${ROUNDS} pairs`);
  return median(ratios) >= 1;
}

const folder = await mkdtemp(join(tmpdir(), "paylink-bench-"));
const postgres = await launchPostgres({ dataDir: folder });
const children: ChildProcess[] = [];
try {
  const admin = new pg.Client({ connectionString: postgres.connectionString("postgres") });
  await admin.connect();
  await admin.query("CREATE DATABASE bench");
  await admin.end();
  const url = postgres.connectionString("bench");
  await migrate(url);
  const key = await prepareData(url, CORE_TOKEN);
  const ours = await startServer("ours", "ours.ts", url);
  const baseline = await startServer("baseline", "baseline/server.ts", url);
  children.push(ours.child, baseline.child);
  await requireSameShape([ours, baseline], key);
  const results = [await compare("create", ours, baseline, key), await compare("list", ours, baseline, key)];
  process.exitCode = results.every(Boolean) ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  for (const child of children) {
    const gone = once(child, "exit");
    child.kill();
    await gone;
  }
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
