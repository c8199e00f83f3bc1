import { cpuMicros, memoryMegabytes } from "../proc.ts";
import type { Server } from "../server.ts";
import { STEPS, Shop, type Kind, type Sale } from "./chain.ts";
import type { Receiver } from "./receiver.ts";

// Amounts differ, so that one sale's answer is not another's.
const AMOUNT = 15_990;
const AMOUNTS = 1000;

/** What one round of sales has measured. Times of CPU are those of a sale, its event delivered. */
export interface SaleSample {
  readonly salesPerSecond: number;
  readonly requestsPerSecond: number;
  readonly nodeUs: number;
  readonly postgresUs: number;
  readonly memoryMb: number;
  readonly steps: Readonly<Record<string, StepTimes>>;
}

interface StepTimes {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface SaleRoundOptions {
  readonly kind: Kind;
  readonly sellers: number;
  readonly seconds: number;
}

/**
 * Has sellers make sales one after the other, each with its event before the next begins. A sale has one event, so events
 * a second are sales a second. Throws Error at the first wrong answer. `postgresPid`: the server process of the database.
 */
export async function saleRound(
  server: Server,
  receiver: Receiver,
  postgresPid: number,
  { kind, sellers, seconds }: SaleRoundOptions,
): Promise<SaleSample> {
  const shop = new Shop(server, receiver, sellers);
  const sales: Sale[] = [];
  const nodeBefore = await cpuMicros(server.pid);
  const postgresBefore = await cpuMicros(postgresPid);
  const startMs = performance.now();
  let isOver = false;
  const sell = async (): Promise<void> => {
    while (!isOver && performance.now() - startMs < seconds * 1000) {
      sales.push(await shop.sell(kind, AMOUNT + (sales.length % AMOUNTS)));
    }
  };
  try {
    await Promise.all(Array.from({ length: sellers }, sell));
  } finally {
    isOver = true;
  }
  const elapsed = (performance.now() - startMs) / 1000;
  const nodeUs = (await cpuMicros(server.pid)) - nodeBefore;
  const postgresUs = (await cpuMicros(postgresPid)) - postgresBefore;
  await shop.close();
  const { length } = sales;
  const steps = STEPS.filter((step) => sales[0]?.stepsMs.has(step));
  return {
    salesPerSecond: length / elapsed,
    // The event is the service's own request.
    requestsPerSecond: (length * (steps.length - 1)) / elapsed,
    nodeUs: nodeUs / length,
    postgresUs: postgresUs / length,
    memoryMb: await memoryMegabytes(server.pid),
    steps: Object.fromEntries(steps.map((step) => [step, timesOf(sales, step)])),
  };
}

function timesOf(sales: readonly Sale[], step: string): StepTimes {
  const sorted = sales.map(({ stepsMs }) => stepsMs.get(step) ?? Number.NaN).toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
