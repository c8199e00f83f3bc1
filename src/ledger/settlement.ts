import type pg from "pg";
import type { Clock } from "../platform/clock.ts";
import type { Environment } from "../platform/database.ts";
import { dayOf, settlementDay, type Overrides } from "./business-days.ts";

const BATCH = 500;

/**
 * Books what is due: the net of each succeeded payment moves from payable to available, once. Any number of workers
 * may do it at a time. Answers how many were settled.
 */
export async function settleDue({ pool }: Environment, clock: Clock): Promise<number> {
  const now = new Date(clock.nowMs());
  const today = dayOf(now);
  const overrides = await findOverrides(pool);
  let settled = 0;
  for (const { succeededOn, termDays } of await openTerms(pool)) {
    const due = settlementDay(Temporal.PlainDate.from(succeededOn), termDays, overrides);
    if (Temporal.PlainDate.compare(due, today) > 0) continue;
    for (let count = BATCH; count === BATCH; settled += count) {
      count = await settleBatch(pool, succeededOn, termDays, now);
    }
  }
  return settled;
}

/** The days on which the banks do otherwise than the national calendar says. */
export async function findOverrides(pool: pg.Pool): Promise<Overrides> {
  const { rows } = await pool.query<{ day: string; isBusinessDay: boolean }>(
    `SELECT DISTINCT ON (day) day::text, is_business_day AS "isBusinessDay" FROM business_day_override
      WHERE tenant_id = 'default' ORDER BY day, number DESC`,
  );
  return new Map(rows.map(({ day, isBusinessDay }) => [day, isBusinessDay]));
}

async function openTerms(pool: pg.Pool): Promise<{ succeededOn: string; termDays: number }[]> {
  const { rows } = await pool.query<{ succeededOn: string; termDays: number }>(
    `SELECT DISTINCT succeeded_on::text AS "succeededOn", term_days AS "termDays" FROM settlement
      WHERE settled_at IS NULL`,
  );
  return rows;
}

/** One statement, itself the transaction: what another worker holds is left to it. */
async function settleBatch(pool: pg.Pool, succeededOn: string, termDays: number, now: Date): Promise<number> {
  const { rowCount } = await pool.query({
    name: "settle batch",
    text: `WITH due AS (
        SELECT tenant_id, payment_id FROM settlement
        WHERE settled_at IS NULL AND succeeded_on = $1 AND term_days = $2
        LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
      ), entry AS (
        INSERT INTO ledger_entry (tenant_id, payment_id, kind, booked_at)
        SELECT tenant_id, payment_id, 'settlement', $3 FROM due
      ), payable AS (
        SELECT l.tenant_id, l.payment_id, l.currency, l.credit_minor AS minor FROM due d
        JOIN ledger_line l ON l.tenant_id = d.tenant_id AND l.payment_id = d.payment_id AND l.kind = 'payment'
        WHERE l.account = 'merchant_payable'
      ), lines AS (
        INSERT INTO ledger_line (tenant_id, payment_id, kind, number, account, currency, debit_minor, credit_minor)
        SELECT tenant_id, payment_id, 'settlement', 1, 'merchant_payable', currency, minor, 0 FROM payable
        UNION ALL
        SELECT tenant_id, payment_id, 'settlement', 2, 'merchant_available', currency, 0, minor FROM payable
      )
      UPDATE settlement s SET settled_at = $3 FROM due d
      WHERE s.tenant_id = d.tenant_id AND s.payment_id = d.payment_id`,
    values: [succeededOn, termDays, now],
  });
  return rowCount ?? 0;
}
