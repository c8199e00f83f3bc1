import { join } from "node:path";
import { interleaved } from "../interleaved.ts";
import { headersOf, type Server } from "../server.ts";
import { DATA_KEY, HERE, type Prepared, type Stage } from "../stage.ts";
import { nextKey, WORKLOADS } from "../workloads.ts";
import { KINDS, type Kind } from "./chain.ts";
import { Receiver } from "./receiver.ts";
import { saleText, stepsText, type SaleComparison, type StepComparison } from "./report.ts";
import { saleRound, type SaleSample } from "./round.ts";
import { requireSameWork, type Contestant } from "./same-work.ts";

const STEP_WORKLOADS = ["create", "quote", "accept", "payer", "simulate", "payment"];

export interface SaleOptions {
  readonly payments: number;
  readonly rounds: number;
  readonly sellers: number;
  /** The first seconds of a new process, which warm it up too. */
  readonly coldSeconds: number;
  readonly warmSeconds: number;
  /** Rounds of each step alone, and their warm-up. */
  readonly stepSeconds: number;
  readonly stepWarmUpSeconds: number;
  /** Another checkout of this service in place of the plain one. */
  readonly against: string | undefined;
}

/** What `sale` has measured. */
export interface SaleResults {
  readonly sales: readonly SaleComparison[];
  readonly steps: readonly StepComparison[];
}

/**
 * Measures whole sales by this service and another one, in interleaved rounds: each starts a new process, cold, and goes on
 * when it is warm. Then it measures the steps alone. Prints as it goes.
 */
export async function measureSales(stage: Stage, options: SaleOptions): Promise<SaleResults> {
  const receiver = await Receiver.open();
  try {
    const other = options.against === undefined ? "plain" : "other";
    const contestants = [
      await contestant(stage, receiver, "ours", options),
      await contestant(stage, receiver, other, options),
    ];
    if (options.against === undefined) await requireSameWork(contestants, receiver);
    const sales: SaleComparison[] = [];
    for (const kind of KINDS) {
      const measured = await measureKind(stage, receiver, contestants, kind, options);
      for (const comparison of measured) console.log(saleText(comparison));
      sales.push(...measured);
    }
    const steps = await measureSteps(stage, other, options);
    console.log(stepsText(steps, sales));
    return { sales, steps };
  } finally {
    await receiver.close();
  }
}

async function contestant(
  stage: Stage,
  receiver: Receiver,
  name: string,
  { payments, against }: SaleOptions,
): Promise<Contestant> {
  const checkout = name === "other" && against !== undefined ? against : HERE;
  const prepared = await stage.prepare(`sale_${name}`, payments, checkout);
  // This service makes the plain one's endpoint too.
  const first = await stage.serve(`${name}-first`, prepared, checkout);
  receiver.trust(name, await makeEndpoint(first, receiver.urlFor(name)));
  await first.stop();
  const start = async (): Promise<Server> => await serve(stage, name, prepared, checkout);
  return { name, databaseUrl: prepared.url, start };
}

async function serve(stage: Stage, name: string, prepared: Prepared, checkout: string): Promise<Server> {
  if (name !== "plain") return await stage.serve(name, prepared, checkout);
  const script = join(HERE, "tools", "bench", "plain", "server.ts");
  return await stage.start(name, [script], prepared.key, { DATABASE_URL: prepared.url, DATA_KEY });
}

/** Returns the endpoint's secret. */
async function makeEndpoint({ address, key }: Server, url: string): Promise<string> {
  const response = await fetch(`${address}/v1/webhook_endpoints`, {
    method: "POST",
    headers: { ...headersOf(key), "idempotency-key": nextKey() },
    body: JSON.stringify({ url, event_types: ["payment.succeeded"] }),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`no endpoint: ${text}`);
  return (JSON.parse(text) as { secret: string }).secret;
}

/** Returns the comparisons of a kind of sale, cold and warm. Who goes first alternates. */
async function measureKind(
  stage: Stage,
  receiver: Receiver,
  contestants: readonly Contestant[],
  kind: Kind,
  { rounds, sellers, coldSeconds, warmSeconds }: SaleOptions,
): Promise<SaleComparison[]> {
  const cold: Record<string, SaleSample[]> = Object.fromEntries(contestants.map(({ name }) => [name, []]));
  const warm: Record<string, SaleSample[]> = Object.fromEntries(contestants.map(({ name }) => [name, []]));
  for (let index = 0; index < rounds; index++) {
    for (const { name, start } of index % 2 === 0 ? contestants : contestants.toReversed()) {
      const server = await start();
      const measure = async (seconds: number): Promise<SaleSample> =>
        await saleRound(server, receiver, stage.postgresPid, { kind, sellers, seconds });
      cold[name]?.push(await measure(coldSeconds));
      warm[name]?.push(await measure(warmSeconds));
      await server.stop();
    }
  }
  return [
    { kind, state: `cold: the first ${coldSeconds} s of a process`, sellers, samples: cold },
    { kind, state: `warm: the next ${warmSeconds} s`, sellers, samples: warm },
  ];
}

/** Returns what the steps cost alone, without an endpoint, as `--only` measures them. */
async function measureSteps(stage: Stage, other: string, options: SaleOptions): Promise<StepComparison[]> {
  const { payments, rounds, sellers, stepSeconds, stepWarmUpSeconds, against } = options;
  const prepared = await stage.prepare("steps", payments);
  const checkout = against ?? HERE;
  const theirs = against === undefined ? prepared : await stage.prepare("steps_other", payments, checkout);
  const servers = [await serve(stage, "ours", prepared, HERE), await serve(stage, other, theirs, checkout)];
  const steps: StepComparison[] = [];
  for (const name of STEP_WORKLOADS) {
    const workload = WORKLOADS.find((each) => each.name === name);
    if (workload === undefined) throw new Error(`There is no workload ${name}.`);
    const load = { connections: sellers, payments, seconds: stepSeconds, warmUpSeconds: stepWarmUpSeconds };
    const samples = await interleaved(stage, workload, servers, rounds, load);
    steps.push({ step: name, title: workload.title, samples: Object.fromEntries(samples) });
  }
  for (const server of servers) await server.stop();
  return steps;
}
