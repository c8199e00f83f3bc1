import { TIME_ZONE } from "../../contract/day.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import type { Environment } from "../platform/db/database.ts";
import { invalidRequest, PaylinkError } from "../platform/rpc/errors.ts";
import { DaySeal, SealedRows, type DaySealRow } from "./entities.ts";
import { calendarDay } from "../platform/time/period.ts";
import { headSha256 } from "./seal-head.ts";
import { STATE_NOW } from "./sealed-state.ts";
import { SealedTally } from "./sealed-tally.ts";
import { findSeal } from "./sealing.ts";

const SEALS_DAYS_MAX = 366;

/** A chunk of a day's sealed rows, as stored. */
export interface RowChunk {
  readonly bytes: Uint8Array;
  readonly rowCount: number;
  /** The state of each row's payment, from `sealedState`. */
  readonly states: readonly string[];
}

/** Returns the day's seal. Errors: invalid_request on day, seal_not_found. */
export async function requireSeal(
  environment: Environment,
  tenantId: string,
  day: string,
): Promise<DaySealRow> {
  const seal = await findSeal(environment, tenantId, day);
  if (!seal)
    throw new PaylinkError("seal_not_found", `${day} is not sealed: it can be read once the day is closed.`);
  return seal;
}

/** Refuses a seal whose head has changed since it was sealed. `rehash` checks the rows. Error: seal_broken. */
export function requireHead(mode: Mode, seal: DaySealRow): void {
  if (headSha256(mode, seal) === seal.headSha256) return;
  throw new PaylinkError("seal_broken", "The seal was altered: VerifySeal shows what is kept.");
}

/**
 * Returns the seals of a range of days, oldest first, with the number of payments changed, added or gone since each
 * seal. Errors: invalid_request on from or to.
 */
export async function listSeals(
  { orm, pool }: Environment,
  tenantId: string,
  from: string,
  to: string,
): Promise<{ seal: DaySealRow; changedCount: bigint }[]> {
  const [first, last] = [calendarDay("from", from), calendarDay("to", to)];
  const days = first.until(last).days;
  if (days < 0) throw invalidRequest("from", "from must not be after to.");
  if (days >= SEALS_DAYS_MAX) throw invalidRequest("to", `to must be within ${SEALS_DAYS_MAX} days of from.`);
  const span = { $gte: first.toString(), $lte: last.toString() };
  const seals = await orm.em.fork().find(DaySeal, { tenantId, day: span }, { orderBy: { day: "asc" } });
  const { rows } = await pool.query<{ day: string; count: string }>(
    `SELECT s.day::text AS day, (
        SELECT count(*) FROM (
          SELECT split_part(state, ' ', 1) AS id, state
          FROM sealed_rows k, unnest(k.states) AS state WHERE k.tenant_id = s.tenant_id AND k.day = s.day
        ) AS sealed
        FULL JOIN (
          SELECT p.id, ${STATE_NOW} AS state FROM payment p WHERE p.tenant_id = s.tenant_id
            AND p.created_at >= s.day::timestamp AT TIME ZONE '${TIME_ZONE}'
            AND p.created_at < (s.day + 1)::timestamp AT TIME ZONE '${TIME_ZONE}'
        ) AS current ON current.id = sealed.id
        WHERE current.state IS DISTINCT FROM sealed.state
      )::text AS count
    FROM day_seal s WHERE s.tenant_id = $1 AND s.day BETWEEN $2 AND $3`,
    [tenantId, span.$gte, span.$lte],
  );
  const counts = new Map(rows.map(({ day, count }) => [day, BigInt(count)]));
  return seals.map((seal) => ({ seal, changedCount: counts.get(seal.day) ?? 0n }));
}

/** Returns the rows that begin at a position, or undefined if there are none. */
export async function findRows(
  { orm }: Environment,
  { tenantId, day }: DaySealRow,
  position: bigint,
): Promise<RowChunk | undefined> {
  const found = await orm.em.fork().findOne(SealedRows, { tenantId, day, position });
  return found ?? undefined;
}

/** Yields the sealed rows of a day in their order, in chunks, starting at a position. */
export async function* sealedChunks(
  environment: Environment,
  seal: DaySealRow,
  begin = 0n,
): AsyncGenerator<RowChunk> {
  for (let position = begin; ;) {
    const chunk = await findRows(environment, seal, position);
    if (!chunk) return;
    yield chunk;
    position += BigInt(chunk.rowCount);
  }
}

/**
 * Returns the hash and number of a sealed day's stored rows. `isIntact` is true if rows, sums and all other fields
 * match the seal.
 */
export async function rehash(
  environment: Environment,
  mode: Mode,
  seal: DaySealRow,
): Promise<{ rowsSha256: string; rowCount: bigint; isIntact: boolean }> {
  const tally = new SealedTally();
  for await (const chunk of sealedChunks(environment, seal)) tally.add(chunk);
  const { rowsSha256, isSame } = tally.end(seal);
  const isIntact = isSame && headSha256(mode, seal) === seal.headSha256;
  return { rowsSha256, rowCount: tally.rowCount, isIntact };
}
