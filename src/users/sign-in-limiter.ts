import type pg from "pg";
import type { Clock } from "../platform/clock.ts";
import { PaylinkError } from "../platform/errors.ts";
import { inTransaction } from "../platform/transaction.ts";
import { networkOf } from "../../contract/network.ts";
import { hashToken } from "./token.ts";

/** After so many failures each further one doubles the wait for the next attempt, from a second to the longest. */
interface Limit {
  readonly free: number;
  readonly secondsMax: number;
}

// README.md says what they come to in a day.
const LIMITS = {
  /** One account from one network. */
  pair: { free: 5, secondsMax: 120 },
  /** One account from all networks that failed on it before. */
  returning: { free: 20, secondsMax: 120 },
  /** One account from all others: few addresses cannot use up what a person at a new one needs. */
  newcomer: { free: 20, secondsMax: 30 },
  /** All accounts from one network. */
  network: { free: 100, secondsMax: 5 },
  /** One account from a browser that it knows. */
  browser: { free: 10, secondsMax: 120 },
  /** The password of a person who is signed in. */
  own: { free: 10, secondsMax: 120 },
} as const satisfies Record<string, Limit>;

type Kind = keyof typeof LIMITS;

const NEWCOMER_FAILURES = 3;
const MEMORY_MS = 24 * 60 * 60 * 1000;
const TABLE = "sign_in_attempt";

/** What a password is tried on, from where, and with which browser. */
export interface Attempt {
  /** An e-mail address, whether or not it has an account. */
  readonly account: string;
  /** Empty when unknown. */
  readonly address: string;
  /** Hash of the token of a browser that an account of this address knows. */
  readonly browser: string | undefined;
}

/** An attempt that may be made. It counts as failed unless `succeed` takes it back. */
export interface Turn {
  /** Whether it is only that of a known browser: everybody else has to wait. */
  readonly isOfBrowser: boolean;
  /** The failures on this account that are remembered, with this one. */
  readonly failures: number;
  readonly keys: readonly string[];
}

interface Count {
  readonly key: string;
  readonly limit: Limit;
  readonly failures: number;
  readonly allowedAtMs: number;
}

/** Counts wrong passwords in the database, for all processes, and makes the next attempt wait. It never waits itself. */
export class SignInLimiter {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;

  constructor(pool: pg.Pool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
  }

  /** Counts an attempt to sign in before it is made; one that comes too early counts for nothing. Error: too_many_attempts. */
  async begin({ account, address, browser }: Attempt): Promise<Turn> {
    const network = networkOf(address);
    // A hash is short whatever is typed, and does not show who tried to sign in.
    const pair = countKey("pair", hashToken(`${network} ${account}`));
    const returning = countKey("returning", hashToken(account));
    const newcomer = countKey("newcomer", hashToken(account));
    const ofNetwork = network === "" ? [] : [countKey("network", network)];
    const ofBrowser = browser === undefined ? [] : [countKey("browser", hashToken(`${browser} ${account}`))];
    return await this.#take([pair, returning, newcomer, ...ofNetwork, ...ofBrowser], (counts) => {
      const find = (key: string): Count[] => counts.filter((count) => count.key === key);
      const isNew = find(pair).every(({ failures }) => failures < NEWCOMER_FAILURES);
      const onAccount = find(isNew ? newcomer : returning);
      const anybody = [...onAccount, ...find(pair), ...ofNetwork.flatMap(find)];
      return [anybody, ...ofBrowser.map(find)];
    });
  }

  /** The same of the own password of a person who is signed in. Error: too_many_attempts. */
  async beginOwn(userId: string): Promise<Turn> {
    return await this.#take([countKey("own", userId)], (counts) => [counts]);
  }

  /** Takes back what was counted. What others failed at stays, and so do their waits. */
  async succeed({ keys }: Turn): Promise<void> {
    await this.#pool.query({
      name: "take back sign-in attempt",
      text: `UPDATE ${TABLE} SET points = greatest(points - 1, 0) WHERE key = ANY($1)`,
      values: [keys],
    });
  }

  /** Forgets counts whose time is over. */
  async removePast(): Promise<void> {
    await this.#pool.query({
      name: "remove past sign-in attempts",
      text: `DELETE FROM ${TABLE} WHERE expire < $1`,
      values: [this.#clock.nowMs()],
    });
  }

  /** Counts on the first way whose waits are all over. Nothing is written when there is none. */
  async #take(
    keys: readonly string[],
    waysOf: (counts: readonly Count[]) => readonly (readonly Count[])[],
  ): Promise<Turn> {
    const nowMs = this.#clock.nowMs();
    return await inTransaction(this.#pool, async (client) => {
      const ways = waysOf(await lockedCounts(client, keys, nowMs));
      const index = ways.findIndex((way) => way.every(({ allowedAtMs }) => allowedAtMs <= nowMs));
      const way = ways[index];
      if (!way) throw tooEarly(ways, nowMs);
      await writeFailures(client, way, nowMs);
      return {
        isOfBrowser: index > 0,
        failures: (way[0]?.failures ?? 0) + 1,
        keys: way.map(({ key }) => key),
      };
    });
  }
}

function countKey(kind: Kind, name: string): string {
  return `${kind}:${name}`;
}

/** Two who ask for the same keys go one after the other, also where there is no row yet. */
async function lockedCounts(client: pg.PoolClient, keys: readonly string[], nowMs: number): Promise<Count[]> {
  await client.query({
    name: "lock sign-in attempts",
    text: `SELECT pg_advisory_xact_lock(lock)
      FROM (SELECT DISTINCT hashtextextended(key, 0) AS lock FROM unnest($1::text[]) AS key ORDER BY lock) AS locks`,
    values: [keys],
  });
  const { rows } = await client.query<{ key: string; points: number; allowed_at: string }>({
    name: "read sign-in attempts",
    text: `SELECT key, points, allowed_at FROM ${TABLE} WHERE key = ANY($1) AND expire > $2`,
    values: [keys, nowMs],
  });
  const found = new Map(rows.map((row) => [row.key, row]));
  return keys.map((key) => {
    const row = found.get(key);
    const limit = LIMITS[key.slice(0, key.indexOf(":")) as Kind];
    return { key, limit, failures: row?.points ?? 0, allowedAtMs: Number(row?.allowed_at ?? 0) };
  });
}

async function writeFailures(client: pg.PoolClient, counts: readonly Count[], nowMs: number): Promise<void> {
  const failed = counts.map(({ limit, failures }) => {
    const seconds = waitSeconds(limit, failures + 1);
    // Without a wait there is no instant to wait for: another attempt at once may have read its clock a little earlier.
    return { failures: failures + 1, allowedAtMs: seconds === 0 ? 0 : nowMs + seconds * 1000 };
  });
  await client.query({
    name: "count sign-in attempts",
    text: `INSERT INTO ${TABLE} (key, points, expire, allowed_at)
      SELECT key, points, $3, allowed_at FROM unnest($1::text[], $2::int[], $4::bigint[]) AS new (key, points, allowed_at)
      ON CONFLICT (key) DO UPDATE
        SET points = excluded.points, expire = excluded.expire, allowed_at = excluded.allowed_at`,
    values: [
      counts.map(({ key }) => key),
      failed.map(({ failures }) => failures),
      nowMs + MEMORY_MS,
      failed.map(({ allowedAtMs }) => allowedAtMs),
    ],
  });
}

function waitSeconds({ free, secondsMax }: Limit, failures: number): number {
  return failures < free ? 0 : Math.min(2 ** (failures - free), secondsMax);
}

function tooEarly(ways: readonly (readonly Count[])[], nowMs: number): PaylinkError {
  const waits = ways.map((way) => Math.max(...way.map(({ allowedAtMs }) => allowedAtMs)) - nowMs);
  const retryAfterSeconds = Math.ceil(Math.min(...waits) / 1000);
  const message = `There were too many attempts: try again in ${retryAfterSeconds} seconds.`;
  return new PaylinkError("too_many_attempts", message, null, { retryAfterSeconds });
}
