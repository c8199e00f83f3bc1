import { setTimeout as passes } from "node:timers/promises";
import pg from "pg";
import type { Outcome } from "./claim.ts";
import { QuerySlots } from "./query-slots.ts";

/** The time for which a key's outcome is stored, in seconds. */
export const RETENTION_SECONDS = 24 * 60 * 60;

// A response that is going to be replaced is waited for so long: its process may be gone.
const AWAITED_READS = 50;
const AWAITED_READ_MS = 100;

const TOGETHER_MAX = 64;

const QUERY = `SELECT asked.number::int AS number, i.fingerprint, i.request_id AS "requestId", i.response, i.error,
    i.is_awaited AS "isAwaited"
  FROM unnest($1::text[], $2::text[], $3::timestamptz[]) WITH ORDINALITY AS asked (tenant_id, key, now, number)
  JOIN idempotency i ON i.tenant_id = asked.tenant_id AND i.key = asked.key AND i.expires_at > asked.now`;

/**
 * Returns the outcome stored under a key, or undefined if none is valid at `now`. Waits for one that is going to be
 * replaced. One that was waited for in vain stays as it is from then on, as it is an answer now.
 */
export async function storedOutcome(
  pool: pg.Pool,
  tenantId: string,
  key: string,
  now: Date,
  readsMax = AWAITED_READS,
): Promise<Outcome | undefined> {
  for (let reads = 1; ; reads++) {
    const stored = await outcomeLookups(pool).find({ tenantId, key, now });
    if (!stored) return undefined;
    const { isAwaited, ...outcome } = stored;
    if (!isAwaited) return outcome;
    // It is read once more: its replacement may have been first.
    if (reads >= readsMax) await keepResponse(pool, tenantId, key, outcome);
    else await passes(AWAITED_READ_MS);
  }
}

async function keepResponse(
  pool: pg.Pool,
  tenantId: string,
  key: string,
  { requestId }: Pick<Outcome, "requestId">,
): Promise<void> {
  await pool.query({
    name: "keep response",
    text: `UPDATE idempotency SET is_awaited = false
      WHERE tenant_id = $1 AND key = $2 AND request_id = $3 AND is_awaited`,
    values: [tenantId, key, requestId],
  });
}

/**
 * Puts another response in place of the one that a request stored under its key. Returns false if the stored one is an
 * answer already: a replay did not wait any longer.
 */
export async function replaceResponse(
  pool: pg.Pool,
  {
    tenantId,
    key,
    requestId,
  }: { readonly tenantId: string; readonly key: string; readonly requestId: string },
  response: Uint8Array,
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "replace response",
    text: `UPDATE idempotency SET response = $4, is_awaited = false
      WHERE tenant_id = $1 AND key = $2 AND request_id = $3 AND is_awaited`,
    values: [tenantId, key, requestId, response],
  });
  return rowCount === 1;
}

/** An outcome as it is stored; `isAwaited`: its response is going to be replaced. */
interface StoredOutcome extends Outcome {
  readonly isAwaited: boolean;
}

interface Asked {
  readonly tenantId: string;
  readonly key: string;
  readonly now: Date;
}

interface Waiting extends Asked {
  readonly resolve: (stored: StoredOutcome | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Looks up what is stored under idempotency keys. Those that arrive while queries are in progress wait for one of them,
 * and then go together, so that each sees all that was committed before it was asked for. None waits for others to come.
 */
export class OutcomeLookups {
  readonly #pool: pg.Pool;
  #waiting: Waiting[] = [];
  readonly #slots = new QuerySlots();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the outcome of a tenant's key that is valid at `now`, or undefined. */
  async find(asked: Asked): Promise<StoredOutcome | undefined> {
    return await new Promise((resolve, reject) => {
      this.#waiting.push({ ...asked, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    while (this.#waiting.length > 0 && this.#slots.free > 0) {
      const share = Math.min(TOGETHER_MAX, Math.ceil(this.#waiting.length / this.#slots.free));
      this.#slots.run(this.#answer(this.#waiting.splice(0, share)), () => this.#next());
    }
  }

  async #answer(members: readonly Waiting[]): Promise<void> {
    try {
      const found = await this.#read(members);
      for (const [index, { resolve }] of members.entries()) resolve(found.get(index + 1));
    } catch (error) {
      // The server refuses one of them: each goes alone, so that only that one fails.
      const isOfOne = error instanceof pg.DatabaseError && members.length > 1;
      if (isOfOne) await Promise.all(members.map(async (member) => await this.#answer([member])));
      else for (const { reject } of members) reject(error);
    }
  }

  async #read(asked: readonly Asked[]): Promise<ReadonlyMap<number, StoredOutcome>> {
    const { rows } = await this.#pool.query<StoredOutcome & { number: number }>({
      name: "stored outcomes",
      text: QUERY,
      values: [
        asked.map(({ tenantId }) => tenantId),
        asked.map(({ key }) => key),
        asked.map(({ now }) => now.toISOString()),
      ],
    });
    return new Map(rows.map(({ number, ...stored }) => [number, stored]));
  }
}

const lookups = new WeakMap<pg.Pool, OutcomeLookups>();

/** Returns the lookups of a pool. */
function outcomeLookups(pool: pg.Pool): OutcomeLookups {
  let found = lookups.get(pool);
  if (!found) lookups.set(pool, (found = new OutcomeLookups(pool)));
  return found;
}
