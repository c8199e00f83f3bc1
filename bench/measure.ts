import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import autocannon from "autocannon";

const CONNECTIONS = 16;

/** A process under load; `key` is an API key of test mode in its database. */
export interface Server {
  readonly name: string;
  readonly child: ChildProcess;
  readonly address: string;
  readonly key: string;
}

export type Workload = "create" | "list";

export interface Rounds {
  readonly count: number;
  readonly seconds: number;
}

interface Sample {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
}

export const LINK = {
  amount: 15_990,
  currency: "BRL",
  reference: "order-1042",
  description: "Running shoes",
  product_ref: "SKU-7",
  metadata: { order: "1042", channel: "web" },
};

const TITLES = { create: "POST /v1/payment_links", list: "GET /v1/payments, 100 of 100,000" };

/** Starts a script that sends its address, and then its CPU time for each message. Its log goes to a file. */
export async function startServer(
  { name, script, key }: { readonly name: string; readonly script: string; readonly key: string },
  env: Readonly<Record<string, string>>,
  log: number,
): Promise<Server> {
  const child = fork(script, {
    env: { ...process.env, ...env, NODE_ENV: "production" },
    stdio: ["ignore", "inherit", log, "ipc"],
  });
  const [{ address }] = (await once(child, "message")) as [{ address: string }];
  return { name, child, address, key };
}

export function headersOf(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, "content-type": "application/json" };
}

/** Loads the two in turn and prints the figures of each. Returns the median of the ratios, first to second. */
export async function compare(
  workload: Workload,
  [first, second]: readonly [Server, Server],
  { count, seconds }: Rounds,
): Promise<number> {
  for (const server of [first, second]) await round(server, workload, seconds);
  const samples = new Map<Server, Sample[]>([
    [first, []],
    [second, []],
  ]);
  for (let index = 0; index < count; index++) {
    // Who goes first alternates, so that a drift of the machine favours neither.
    const order = index % 2 === 0 ? [first, second] : [second, first];
    for (const server of order) samples.get(server)?.push(await round(server, workload, seconds));
  }
  console.log(`\n${TITLES[workload]}`);
  for (const [{ name }, own] of samples) console.log(`  ${name.padEnd(10)}${figures(own)}`);
  const [ours = [], theirs = []] = samples.values();
  const ratios = (pick: Pick): number[] =>
    ours.map((sample, index) => pick(sample) / pick(theirs[index] as Sample));
  console.log(
    `  ratio     requests/s ${spread(ratios(perSecond), 2)}  CPU/request ${spread(ratios(cpuUs), 2)}, median of ${count} pairs`,
  );
  return median(ratios(perSecond));
}

type Pick = (sample: Sample) => number;
const perSecond: Pick = (sample) => sample.perSecond;
const cpuUs: Pick = (sample) => sample.cpuUs;

function figures(samples: readonly Sample[]): string {
  const of = (pick: Pick, digits: number): string => spread(samples.map(pick), digits);
  const latency = `p50 ms ${median(samples.map(({ p50Ms }) => p50Ms))}  p99 ms ${median(samples.map(({ p99Ms }) => p99Ms))}`;
  return `requests/s ${of(perSecond, 0)}  ${latency}  CPU us/request ${of(cpuUs, 0)}`;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function spread(values: readonly number[], digits: number): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return `${median(values).toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}

let sequence = 0;

async function round(server: Server, workload: Workload, seconds: number): Promise<Sample> {
  const headers = headersOf(server.key);
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

function day(offset: number): string {
  return new Date(Date.now() - offset * 86_400_000).toISOString().slice(0, 10);
}

async function cpuMicros({ child }: Server): Promise<number> {
  const answered = once(child, "message");
  child.send("cpu");
  const [{ cpu }] = (await answered) as [{ cpu: NodeJS.CpuUsage }];
  return cpu.user + cpu.system;
}
