import { secondsAfter, type Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { dueRows, type DueTable } from "../platform/work/due-table.ts";
import type { DueRow, DueRows } from "../platform/work/due-work.ts";
import type { ChargeRow } from "./entities.ts";

// The start itself asks for the code or page. The worker asks soon after its fault, and for a code else after it has ended.
// A request for a page goes on, as one that is lost leaves a page: a second one's answer is withdrawn.
export const FAULT_SECONDS = 2;
export const FIRST_PREPARATION_SECONDS = { pix: 4, card: FAULT_SECONDS } as const;
// Later by each time that the worker asked.
const PREPARATION_SECONDS = [5, 10, 15];
// After its removal, a charge's next check.
const REMOVED_CHECK_SECONDS = 3600;

/** A charge that is due for a check. */
export interface DueCharge extends DueRow {
  readonly paymentId: string;
}

/**
 * Open charges, each due for a check. One that was taken is due later each time, and not past the charge's own end. PIX
 * that has an id at its provider is asked about at its end itself, too: such a provider says the day of a payment alone, so
 * it is in time if it is seen in time. A code that is awaited is asked for after 2 seconds if its first request failed and after 4 if that was not answered,
 * then after 5, 10 and 15 seconds, and then every 15.
 * A payer on a card provider's page is waited for twice as long each time, as callbacks and the payer's return say more. A
 * charge that was withdrawn is asked about after an hour, half a day and two days.
 */
const DUE_CHARGES: DueTable<DueCharge> = {
  name: "charges",
  table: "charge",
  key: ["paymentId"],
  due: "check_at",
  where: "is_open",
  columns: { tenantId: "tenant_id", paymentId: "payment_id", accountId: "account_id" },
  taken: `check_at = CASE
      WHEN removed_at > $1::timestamptz - interval '12 hours' THEN removed_at + interval '12 hours'
      WHEN removed_at IS NOT NULL THEN greatest(expires_at + interval '48 hours', $1 + interval '6 hours')
      ELSE least(
        $1 + CASE
          WHEN preparation_count IS NOT NULL
            THEN interval '1 second' * (ARRAY[${PREPARATION_SECONDS.join(", ")}])[least(preparation_count + 1, 3)]
          WHEN card_style = 'redirect' AND reviewed_at IS NULL AND expires_at > $1
            THEN greatest(interval '15 seconds', date_trunc('second', $1) - created_at)
          ELSE greatest(interval '15 seconds', least(($1 - created_at) / 2, interval '6 hours')) END,
        CASE
          WHEN card_style IS NULL AND provider_charge_id IS NOT NULL AND expires_at > $1 THEN expires_at
          WHEN expires_at + interval '60 seconds' > $1 THEN expires_at + interval '60 seconds' END) END,
    preparation_count = preparation_count + 1`,
};

export function dueCharges({ pool }: Environment, clock: Clock): DueRows<DueCharge> {
  return dueRows(pool, clock, DUE_CHARGES);
}

/** Returns up to `limit` due charges of accounts whose providers are not asked now, and whose time is over. */
export async function findOverdueCharges(
  { pool }: Environment,
  now: Date,
  limit: number,
  accounts: readonly string[],
): Promise<DueCharge[]> {
  const { rows } = await pool.query<DueCharge>({
    name: "find overdue charges",
    text: `SELECT tenant_id AS "tenantId", payment_id AS "paymentId", account_id AS "accountId" FROM charge
      WHERE is_open AND check_at <= $1 AND expires_at + interval '60 seconds' <= $1 AND account_id = ANY ($3)
      ORDER BY check_at LIMIT $2`,
    values: [now, limit, accounts],
  });
  return rows;
}

/** Returns how long a request for a code takes at most: its successor comes after it, in any process. */
export function preparationMs({ preparationCount }: Pick<ChargeRow, "preparationCount">): number {
  const taken = preparationCount ?? 0;
  const seconds = taken === 0 ? FIRST_PREPARATION_SECONDS.pix : PREPARATION_SECONDS[Math.min(taken, 3) - 1];
  return ((seconds ?? FIRST_PREPARATION_SECONDS.pix) - 1) * 1000;
}

/**
 * Puts the next check off: the provider asked for this delay. After a start's own request the check comes then, and not when
 * an answer would have been late. A payment ends at its time all the same.
 */
export async function postponeCheck(
  { pool }: Environment,
  { tenantId, paymentId }: Pick<ChargeRow, "tenantId" | "paymentId">,
  now: Date,
  until: Date,
): Promise<void> {
  await pool.query({
    name: "postpone check",
    text: `UPDATE charge SET check_at = greatest(CASE WHEN preparation_count IS DISTINCT FROM 0 THEN check_at END,
        least($3, CASE WHEN expires_at + interval '60 seconds' > $4 THEN expires_at + interval '60 seconds' END))
      WHERE tenant_id = $1 AND payment_id = $2 AND is_open`,
    values: [tenantId, paymentId, until, now],
  });
}

/** Notes that a card's charge is withdrawn at its provider. The first time stays. */
export async function noteRemoval(
  { pool }: Environment,
  { tenantId, paymentId }: Pick<ChargeRow, "tenantId" | "paymentId">,
  now: Date,
): Promise<void> {
  await pool.query({
    name: "note removal",
    text: `UPDATE charge SET removed_at = $3, check_at = $4
      WHERE tenant_id = $1 AND payment_id = $2 AND is_open AND removed_at IS NULL`,
    values: [tenantId, paymentId, now, secondsAfter(now, REMOVED_CHECK_SECONDS)],
  });
}
