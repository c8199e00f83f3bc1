import { createHash } from "node:crypto";
import type pg from "pg";
import { dayAt } from "../../contract/day.ts";
import type { Payment } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { CallAudit } from "../platform/rpc/audit-entry.ts";
import { NO_ENTRY } from "../platform/rpc/audit-trail.ts";
import { insert } from "../platform/write/change.ts";
import { secondsAfter, wholeSecond, type Clock } from "../platform/time/clock.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import type { Environment } from "../platform/db/database.ts";
import { LONG_QUERY_MS } from "../platform/db/query-limits.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { inTransaction } from "../platform/db/transaction.ts";
import { DaySeal, SealedRows, type DaySealRow, type KeptSum } from "./entities.ts";
import { toPayment } from "../ledger/mapping.ts";
import { paymentPages, summarizePayments, type PaymentSum } from "../ledger/payment-search.ts";
import { calendarDay, dayPeriod } from "../platform/time/period.ts";
import { FORMAT_VERSION } from "./seal-format.ts";
import { headSha256 } from "./seal-head.ts";
import { sealedState } from "./sealed-state.ts";

/** Writes a payment as JSON, as the API shows it. */
export type WritePayment = (payment: Payment) => string;

const PAGE = 500;
const CHUNK_BYTES_MAX = 1024 * 1024;
/** A payment's second is read before its write: a write that began before midnight has ended after this time. */
const CALM_SECONDS = 60;
const UNIQUE_VIOLATION = "23505";

export interface SealRequest {
  readonly mode: Mode;
  readonly tenantId: string;
  readonly day: string;
  readonly sealedBy: string | null;
  readonly audit: CallAudit | undefined;
  /** When the tenant was created. */
  readonly tenantSince: Date;
}

/**
 * Seals a past day: its rows as of one moment, their hash and sums, in one transaction, with one page in memory. Of
 * several concurrent calls, one seals the day, and all return its seal: only that one reads payments. Errors:
 * invalid_request on day, also before the tenant's first day, and day_not_ended.
 */
export async function sealDay(
  environment: Environment,
  clock: Clock,
  writePayment: WritePayment,
  request: SealRequest,
): Promise<{ seal: DaySealRow; isNew: boolean }> {
  const { tenantId, day } = request;
  requirePast(day, clock);
  for (let isFirst = true; ; isFirst = false) {
    const earlier = await findSeal(environment, tenantId, day);
    if (earlier) return { seal: earlier, isNew: false };
    if (isFirst) await requireBegun(environment, request);
    const seal = await writeSeal(environment, clock, writePayment, request).catch((error: unknown) => {
      // The other's commit came between this snapshot and the lock.
      if (error instanceof Error && "code" in error && error.code === UNIQUE_VIOLATION) return undefined;
      throw error;
    });
    if (seal) return { seal, isNew: true };
    await otherSealing(environment, tenantId);
  }
}

/** Returns the day's seal, or null if it has none. Error: invalid_request on day. */
export async function findSeal(
  { orm }: Environment,
  tenantId: string,
  day: string,
): Promise<DaySealRow | null> {
  return await orm.em.fork().findOne(DaySeal, { tenantId, day: calendarDay("day", day).toString() });
}

// A tenant's days are sealed one after the other, by all processes together.
const LOCK_KEY = "hashtextextended(current_schema() || ' seals of ' || $1, 0)";

/** Waits until another process has sealed a day of the tenant, or has failed to. */
async function otherSealing({ pool }: Environment, tenantId: string): Promise<void> {
  await pool.query({
    name: "await sealing",
    text: `SELECT pg_advisory_xact_lock(${LOCK_KEY})`,
    values: [tenantId],
  });
}

/** Returns undefined, and reads no payment, if a day of the tenant is being sealed, or this one just was. */
async function writeSeal(
  { pool, committer }: Environment,
  clock: Clock,
  writePayment: WritePayment,
  { mode, tenantId, day, sealedBy, audit }: SealRequest,
): Promise<DaySealRow | undefined> {
  const filter = { period: dayPeriod("day", day) };
  return await inTransaction(
    pool,
    async (client) => {
      // All rows and sums are read from one snapshot.
      await client.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
      if (!(await isOwnTurn(client, tenantId))) return undefined;
      const sums = await summarizePayments(client, tenantId, filter);
      const rowsHash = createHash("sha256");
      let [position, byteCount] = [0n, 0n];
      for await (const page of paymentPages(client, tenantId, filter, PAGE)) {
        const states = page.map(sealedState);
        // Each chunk is written when its turn comes: a page of large rows would stop the process.
        const written = page.values().map((row) => `${writePayment(toPayment(row))}\n`);
        for (const lines of chunked(written)) {
          const bytes = Buffer.from(lines.join(""));
          rowsHash.update(bytes);
          const chunk = {
            tenantId,
            day,
            position,
            rowCount: lines.length,
            bytes,
            states: states.splice(0, lines.length),
          };
          await committer.write(client, [insert(SealedRows, chunk)], NO_ENTRY);
          position += BigInt(lines.length);
          byteCount += BigInt(bytes.length);
        }
      }
      const head = {
        tenantId,
        day,
        formatVersion: FORMAT_VERSION,
        paymentCount: position,
        byteCount,
        rowsSha256: rowsHash.digest("hex"),
        sums: sums.map(keptSum),
        sealedBy,
        sealedAt: wholeSecond(clock),
      };
      const seal: DaySealRow = { ...head, headSha256: headSha256(mode, head) };
      await committer.write(client, [insert(DaySeal, seal)], audit?.entry({ objectId: day }));
      return seal;
    },
    LONG_QUERY_MS,
  );
}

async function isOwnTurn(client: pg.PoolClient, tenantId: string): Promise<boolean> {
  const { rows } = await client.query<{ isLocked: boolean }>({
    name: "lock sealing",
    text: `SELECT pg_try_advisory_xact_lock(${LOCK_KEY}) AS "isLocked"`,
    values: [tenantId],
  });
  return rows[0]?.isLocked === true;
}

/** Returns the last day that can be sealed now, YYYY-MM-DD. */
export function lastSealable(clock: Clock): string {
  return dayAt(clock.nowMs() - CALM_SECONDS * 1000)
    .subtract({ days: 1 })
    .toString();
}

function requirePast(day: string, clock: Clock): void {
  const { until } = dayPeriod("day", day);
  if (secondsAfter(until, CALM_SECONDS).getTime() > clock.nowMs()) {
    throw new PaylinkError(
      "day_not_ended",
      "A day can be sealed from a minute after its end in São Paulo on.",
      "day",
    );
  }
}

/** Returns the tenant's first day: that of its creation, or of its oldest payment if that came earlier. */
export async function firstDayOf(
  { pool }: Environment,
  tenantId: string,
  tenantSince: Date,
): Promise<string> {
  const { rows } = await pool.query<{ ms: number }>({
    name: "oldest payment",
    text: `SELECT extract(epoch FROM created_at)::float8 * 1000 AS ms FROM payment
      WHERE tenant_id = $1 AND created_at < $2 ORDER BY created_at LIMIT 1`,
    values: [tenantId, tenantSince],
  });
  return dayAt(rows[0]?.ms ?? tenantSince.getTime()).toString();
}

/** Refuses a day before the tenant's first one. */
async function requireBegun(
  environment: Environment,
  { tenantId, day, tenantSince }: SealRequest,
): Promise<void> {
  if (dayPeriod("day", day).until > tenantSince) return;
  const first = await firstDayOf(environment, tenantId, tenantSince);
  if (day >= first) return;
  const message = `day must not be before the tenant's first day, which is ${first}.`;
  throw new PaylinkError("invalid_request", message, "day", { facts: { refusal: "before_first_day" } });
}

/** Yields non-empty lists of lines that fit in a message. `lines` must not be empty. */
function* chunked(lines: Iterable<string>): Generator<string[]> {
  let [chunk, bytes] = [[] as string[], 0];
  for (const line of lines) {
    const length = Buffer.byteLength(line);
    if (chunk.length > 0 && bytes + length > CHUNK_BYTES_MAX) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(line);
    bytes += length;
  }
  yield chunk;
}

function keptSum(sum: PaymentSum): KeptSum {
  return {
    grossCurrency: sum.grossCurrency,
    netCurrency: sum.netCurrency,
    feeCurrency: sum.feeCurrency,
    method: sum.method,
    status: sum.status,
    paymentCount: String(sum.paymentCount),
    grossMinor: String(sum.grossMinor),
    feeMinor: String(sum.feeMinor),
    netMinor: String(sum.netMinor),
  };
}
