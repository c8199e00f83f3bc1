import type pg from "pg";
import { limitAnswers } from "./limited-client.ts";

/** Answers whether something can serve. */
export type Check = () => Promise<boolean>;

const ignore = (): void => undefined;
const FRESH_MS = 1000;
const ANSWER_MS_MAX = 1000;

/**
 * The check as anybody may ask for it: one is under way at a time, its answer serves for a second, and no answer
 * within a second is a no.
 */
export function boundedCheck(check: Check): Check {
  let latest: { readonly answer: Promise<boolean>; endedMs: number } | undefined;
  return async () => {
    if (latest && performance.now() - latest.endedMs < FRESH_MS) return await latest.answer;
    const asked = { answer: inTime(check), endedMs: Infinity };
    latest = asked;
    const answer = await asked.answer;
    asked.endedMs = performance.now();
    return answer;
  };
}

/** Whether each of the pools has a connection on which the database answers. */
export function poolsCheck(pools: readonly pg.Pool[]): Check {
  const checks = pools.map(poolCheck);
  return boundedCheck(async () =>
    (await Promise.all(checks.map(async (check) => await check()))).every(Boolean),
  );
}

/** One question of a pool at a time, so that those without an answer do not fill it. */
function poolCheck(pool: pg.Pool): Check {
  let underWay: Promise<boolean> | undefined;
  return async () => {
    underWay ??= answers(pool).finally(() => {
      underWay = undefined;
    });
    return await underWay;
  };
}

async function answers(pool: pg.Pool): Promise<boolean> {
  let client: pg.PoolClient | undefined;
  try {
    client = await pool.connect();
    client.on("error", ignore);
    limitAnswers(client, ANSWER_MS_MAX);
    await client.query("SELECT 1");
    limitAnswers(client);
    client.off("error", ignore);
    client.release();
    return true;
  } catch {
    client?.release(true);
    return false;
  }
}

async function inTime(check: Check): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ANSWER_MS_MAX);
  try {
    return await Promise.race([late, check().catch(() => false)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether this process can serve: what it needs answers, and it is not about to end. */
export class Readiness {
  readonly #check: Check;
  readonly #draining = new AbortController();

  constructor(check: Check) {
    this.#check = check;
  }

  get isDraining(): boolean {
    return this.#draining.signal.aborted;
  }

  /** Aborted when the process begins to end. */
  get draining(): AbortSignal {
    return this.#draining.signal;
  }

  readonly isReady = async (): Promise<boolean> => {
    if (this.isDraining) return false;
    return await this.#check().catch(() => false);
  };

  /** From here on it is not ready, whatever it could still do. */
  startDraining(): void {
    this.#draining.abort();
  }
}
