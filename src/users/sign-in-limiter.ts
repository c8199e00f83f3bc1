import type pg from "pg";
import type { Clock } from "../platform/clock.ts";
import { PaylinkError } from "../platform/errors.ts";
import { inTransaction } from "../platform/transaction.ts";
import { neighbourhoodOf, networkOf } from "../../contract/network.ts";
import { hashToken } from "./token.ts";

/** After `free` failures, each further one doubles the wait before the next attempt, from a second to the maximum. */
interface Limit {
  readonly free: number;
  /** The least wait after the free failures; absent: a second. */
  readonly secondsMin?: number;
  readonly secondsMax: number;
}

// README.md gives the resulting attempts per day.
const LIMITS = {
  /** One account from one network. */
  pair: { free: 5, secondsMax: 120 },
  /** One account from all networks with earlier failures on it. */
  returning: { free: 20, secondsMax: 120 },
  /** One account from all other networks: a few addresses cannot use up the attempts of a user at a new one. */
  newcomer: { free: 20, secondsMax: 30 },
  /** All accounts from one network. */
  network: { free: 100, secondsMax: 5 },
  /** All accounts from the networks beside it: a /48 of IPv6 has 65,536. */
  neighbourhood: { free: 500, secondsMax: 2 },
  /** One account from a browser that it knows. */
  browser: { free: 10, secondsMax: 120 },
  /** The password of a signed-in user. */
  own: { free: 10, secondsMax: 120 },
  /** Links to a new password that are asked for, of one address. */
  resetOf: { free: 3, secondsMin: 900, secondsMax: 3600 },
  /** The same from one network. */
  resetFrom: { free: 20, secondsMax: 600 },
  /** Codes with such links of one account. */
  reset: { free: 5, secondsMax: 120 },
} as const satisfies Record<string, Limit>;

type Kind = keyof typeof LIMITS;

const NEWCOMER_FAILURES = 3;
const MEMORY_MS = 24 * 60 * 60 * 1000;
const TABLE = "sign_in_attempt";

/** The account, network address and browser of an attempt. */
export interface Attempt {
  /** An e-mail address, with or without an account. */
  readonly account: string;
  /** Empty if unknown. */
  readonly address: string;
  /** The hash of the browser's token, if an account with this address knows the browser. */
  readonly browser: string | undefined;
}

/** An admitted attempt. It counts as failed unless `succeed` takes it back. */
export interface Turn {
  /** True: only the known browser may try now; all others must wait. */
  readonly isOfBrowser: boolean;
  /** The recorded failures on this account, including this one. */
  readonly failures: number;
  readonly keys: readonly string[];
}

interface Count {
  readonly key: string;
  readonly limit: Limit;
  readonly failures: number;
  readonly allowedAtMs: number;
}

/**
 * Counts wrong passwords in the database, for all processes, and delays the next attempt by refusing earlier ones. It
 * never waits itself.
 */
export class SignInLimiter {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;

  constructor(pool: pg.Pool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
  }

  /**
   * Counts a sign-in attempt before it is made. An attempt that is too early is not counted. Error: too_many_attempts.
   */
  async begin({ account, address, browser }: Attempt): Promise<Turn> {
    const network = networkOf(address);
    // A hash is short for any input, and does not reveal who tried to sign in.
    const pair = countKey("pair", hashToken(`${network} ${account}`));
    const returning = countKey("returning", hashToken(account));
    const newcomer = countKey("newcomer", hashToken(account));
    const ofNetwork =
      network === ""
        ? []
        : [countKey("network", network), countKey("neighbourhood", neighbourhoodOf(address))];
    const ofBrowser = browser === undefined ? [] : [countKey("browser", hashToken(`${browser} ${account}`))];
    return await this.#take([pair, returning, newcomer, ...ofNetwork, ...ofBrowser], (counts) => {
      const find = (key: string): Count[] => counts.filter((count) => count.key === key);
      const isNew = find(pair).every(({ failures }) => failures < NEWCOMER_FAILURES);
      const onAccount = find(isNew ? newcomer : returning);
      const ofAll = [...onAccount, ...find(pair), ...ofNetwork.flatMap(find)];
      return [ofAll, ...ofBrowser.map(find)];
    });
  }

  /** The same for a signed-in user's own password. Error: too_many_attempts. */
  async beginOwn(userId: string): Promise<Turn> {
    return await this.#take([countKey("own", userId)], (counts) => [counts]);
  }

  /** The same for a link to a new password that is asked for. It is never taken back. Error: too_many_attempts. */
  async beginRequest({ account, address }: Omit<Attempt, "browser">): Promise<void> {
    const network = networkOf(address);
    const keys = [
      countKey("resetOf", hashToken(account)),
      ...(network === "" ? [] : [countKey("resetFrom", network)]),
    ];
    await this.#take(keys, (counts) => [counts]);
  }

  /** The same for the code of a user with such a link. Error: too_many_attempts. */
  async beginReset(userId: string): Promise<Turn> {
    return await this.#take([countKey("reset", userId)], (counts) => [counts]);
  }

  /** Takes back the counted attempt. Other failures and their waits stay. */
  async succeed({ keys }: Turn): Promise<void> {
    await this.#pool.query({
      name: "take back sign-in attempt",
      text: `UPDATE ${TABLE} SET points = greatest(points - 1, 0) WHERE key = ANY($1)`,
      values: [keys],
    });
  }

  /** Removes expired counts. */
  async removePast(): Promise<void> {
    await this.#pool.query({
      name: "remove past sign-in attempts",
      text: `DELETE FROM ${TABLE} WHERE expire < $1`,
      values: [this.#clock.nowMs()],
    });
  }

  /** Counts the attempt by the first choice of counts that has no wait left. Writes nothing if there is none. */
  async #take(
    keys: readonly string[],
    choicesOf: (counts: readonly Count[]) => readonly (readonly Count[])[],
  ): Promise<Turn> {
    const nowMs = this.#clock.nowMs();
    return await inTransaction(this.#pool, async (client) => {
      const choices = choicesOf(await lockedCounts(client, keys, nowMs));
      const index = choices.findIndex((choice) => choice.every(({ allowedAtMs }) => allowedAtMs <= nowMs));
      const choice = choices[index];
      if (!choice) throw tooEarly(choices, nowMs);
      await writeFailures(client, choice, nowMs);
      return {
        isOfBrowser: index > 0,
        failures: (choice[0]?.failures ?? 0) + 1,
        keys: choice.map(({ key }) => key),
      };
    });
  }
}

function countKey(kind: Kind, name: string): string {
  return `${kind}:${name}`;
}

/** Concurrent calls with the same keys run one after the other, even if a row does not exist yet. */
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
    // Without a wait, the time is 0: a concurrent attempt may have read a slightly earlier time.
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

function waitSeconds({ free, secondsMin = 1, secondsMax }: Limit, failures: number): number {
  return failures < free ? 0 : Math.min(Math.max(2 ** (failures - free), secondsMin), secondsMax);
}

function tooEarly(choices: readonly (readonly Count[])[], nowMs: number): PaylinkError {
  const waits = choices.map((choice) => Math.max(...choice.map(({ allowedAtMs }) => allowedAtMs)) - nowMs);
  const retryAfterSeconds = Math.ceil(Math.min(...waits) / 1000);
  const message = `There were too many attempts: try again in ${retryAfterSeconds} seconds.`;
  return new PaylinkError("too_many_attempts", message, null, { retryAfterSeconds });
}
