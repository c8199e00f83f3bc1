import { setTimeout as delay } from "node:timers/promises";
import { checkReplays, Client, Log, type ClientAccess } from "../acknowledged.ts";
import type { Http } from "../http.ts";
import { Operations } from "../operations.ts";
import type { Random } from "../random.ts";
import type { Cluster } from "./cluster.ts";
import { strike, type Fault } from "./fault.ts";
import { Probe } from "./probe.ts";
import { checkRecords } from "./records.ts";
import type { RoundResult } from "./result.ts";
import { SplitBrainWatch } from "./split-brain.ts";
import { until } from "./waiting.ts";

const STEADY_MS = { low: 3000, high: 6000 } as const;
const AFTER_MS = 5000;
const RESUME_TIMEOUT_MS = 120_000;

/** What a round runs against. */
export interface Surroundings {
  readonly cluster: Cluster;
  readonly access: ClientAccess;
  /** Where `/readyz` is. */
  readonly metrics: Http;
  readonly clients: number;
}

/** One fault under load, from a healthy cluster to a healthy cluster, and the check of all that was acknowledged. */
export async function runRound(
  name: string,
  fault: Fault,
  random: Random,
  surroundings: Surroundings,
): Promise<RoundResult> {
  const { cluster, access, metrics } = surroundings;
  const victim = await cluster.untilHealthy();
  const log = new Log();
  const stop = new AbortController();
  const running = Array.from({ length: surroundings.clients }, async (_, index) => {
    const operations = new Operations(`${name}-${index}`, random.fork());
    await new Client(access, operations, log).run(stop.signal);
  });
  const watch = new SplitBrainWatch(cluster);
  const readyz = new Probe(metrics, { method: "GET", path: "/readyz" });
  const list = new Probe(access.http, listPayments(access.apiKey));
  try {
    await delay(random.integer(STEADY_MS.low, STEADY_MS.high));
    const struckMs = performance.now();
    const revive = await strike(fault, victim);
    await until("a new primary", RESUME_TIMEOUT_MS, async () => await cluster.other(victim).isPrimary());
    const count = log.acknowledged.length;
    await until("writes to go on", RESUME_TIMEOUT_MS, () =>
      Promise.resolve(log.acknowledged.length > count + surroundings.clients),
    );
    await delay(AFTER_MS);
    const revivedMs = performance.now();
    const oldWrites = await revive();
    const isHealed = await cluster.untilHealthy().then(
      () => true,
      () => false,
    );
    await delay(AFTER_MS);
    const endMs = performance.now();
    stop.abort();
    await Promise.all([...running, readyz.stop(), list.stop(), watch.stop()]);
    const replays = await checkReplays(access, isHealed ? log.acknowledged : []);
    const records = await checkRecords(cluster, `${name}-`, log.acknowledged);
    return {
      fault,
      isHealed,
      log,
      gapMs: log.gapMs(struckMs, revivedMs),
      rejoinGapMs: log.gapMs(revivedMs, endMs),
      readyzMs: readyz.longestMs,
      listMs: list.longestMs,
      lost: new Set([...replays.lost, ...records.missing]).size,
      changed: replays.changed.length,
      undecided: log.undecided.length + replays.undecided.length,
      doubled: records.doubled,
      splitBrain: watch.twoPrimaries + oldWrites,
    };
  } finally {
    stop.abort();
    await Promise.all([readyz.stop(), list.stop(), watch.stop()]);
  }
}

function listPayments(apiKey: string): { method: "GET"; path: string; headers: Record<string, string> } {
  const day = new Date().toISOString().slice(0, 10);
  return {
    method: "GET",
    path: `/v1/payments?from=${day}&to=${day}&limit=1`,
    headers: { authorization: `Bearer ${apiKey}` },
  };
}
