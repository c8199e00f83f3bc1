import type pg from "pg";
import { limitAnswers } from "../db/limited-client.ts";

/** Resolves to true if the checked part can serve. */
export type Check = () => Promise<boolean>;

const ignore = (): void => undefined;
const FRESH_MS = 1000;
const ANSWER_MS_MAX = 1000;

/**
 * Returns the check with bounds, so that any client may ask: one runs at a time, its result is cached for a second, and
 * no answer within a second means false.
 */
export function boundedCheck(check: Check): Check {
  let latest: { readonly answer: Promise<boolean>; endedMs: number } | undefined;
  return async () => {
    if (latest && performance.now() - latest.endedMs < FRESH_MS) return await latest.answer;
    const query = { answer: inTime(check), endedMs: Infinity };
    latest = query;
    const answer = await query.answer;
    query.endedMs = performance.now();
    return answer;
  };
}

/** Returns a check that is true if each pool has a connection on which the database answers. */
export function poolsCheck(pools: readonly pg.Pool[]): Check {
  const checks = pools.map(poolCheck);
  return boundedCheck(async () =>
    (await Promise.all(checks.map(async (check) => await check()))).every(Boolean),
  );
}

/** Runs one check per pool at a time, so that checks without an answer do not fill it. */
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

/** The readiness of this process: its dependencies answer, and it is not shutting down. */
export class Readiness {
  readonly #check: Check;
  readonly #draining = new AbortController();

  constructor(check: Check) {
    this.#check = check;
  }

  get isDraining(): boolean {
    return this.#draining.signal.aborted;
  }

  /** Aborted when the shutdown begins. */
  get draining(): AbortSignal {
    return this.#draining.signal;
  }

  readonly isReady = async (): Promise<boolean> => {
    if (this.isDraining) return false;
    return await this.#check().catch(() => false);
  };

  /** From now on the process is not ready. */
  startDraining(): void {
    this.#draining.abort();
  }
}
