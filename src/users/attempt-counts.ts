import type pg from "pg";

/** After `free` failures, each further one doubles the wait before the next attempt, from a second to the maximum. */
interface Limit {
  readonly free: number;
  /** The least wait after the free failures; absent: a second. */
  readonly secondsMin?: number;
  readonly secondsMax: number;
}

// README.md says how many guesses a day they allow.
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
  /** Links that a tenant sends by e-mail to one address. */
  linkTo: { free: 3, secondsMin: 3600, secondsMax: 3600 },
  /** Links that a tenant sends by e-mail to all addresses. */
  linkFrom: { free: 200, secondsMin: 60, secondsMax: 600 },
} as const satisfies Record<string, Limit>;

type Kind = keyof typeof LIMITS;

const MEMORY_MS = 24 * 60 * 60 * 1000;
/** The table of the counts. */
export const TABLE = "sign_in_attempt";

/** A count of attempts, and when the next one is allowed. */
export interface Count {
  readonly key: string;
  readonly limit: Limit;
  readonly failures: number;
  readonly allowedAtMs: number;
}

/** Returns the key of the count of something, which `name` names within its kind. */
export function countKey(kind: Kind, name: string): string {
  return `${kind}:${name}`;
}

/**
 * Reads counts, in a transaction. Concurrent calls with the same keys run one after the other, even if a row does not exist
 * yet.
 */
export async function lockedCounts(
  client: pg.PoolClient,
  keys: readonly string[],
  nowMs: number,
): Promise<Count[]> {
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

/**
 * Adds one to each count, with the wait that follows from it. Counts are locked in the order of their keys, as by
 * `takeBack`: two attempts that share two counts would wait for each other for ever.
 */
export async function writeFailures(
  client: pg.PoolClient,
  counts: readonly Count[],
  nowMs: number,
): Promise<void> {
  const failed = counts.map(({ limit, failures }) => {
    const seconds = waitSeconds(limit, failures + 1);
    // Without a wait, the time is 0: a concurrent attempt may have read a slightly earlier time.
    return { failures: failures + 1, allowedAtMs: seconds === 0 ? 0 : nowMs + seconds * 1000 };
  });
  await client.query({
    name: "count sign-in attempts",
    text: `INSERT INTO ${TABLE} (key, points, expire, allowed_at)
      SELECT key, points, $3, allowed_at FROM unnest($1::text[], $2::int[], $4::bigint[]) AS new (key, points, allowed_at)
      ORDER BY key
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

/** Takes one from each count. Waits stay. */
export async function takeBack(pool: pg.Pool, keys: readonly string[]): Promise<void> {
  await pool.query({
    name: "take back sign-in attempt",
    text: `WITH locked AS (SELECT key FROM ${TABLE} WHERE key = ANY($1) ORDER BY key FOR UPDATE)
      UPDATE ${TABLE} AS taken SET points = greatest(taken.points - 1, 0) FROM locked WHERE taken.key = locked.key`,
    values: [keys],
  });
}

function waitSeconds({ free, secondsMin = 1, secondsMax }: Limit, failures: number): number {
  return failures < free ? 0 : Math.min(Math.max(2 ** (failures - free), secondsMin), secondsMax);
}
