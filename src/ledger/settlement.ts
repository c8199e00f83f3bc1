import type pg from "pg";
import { dayOf, type Overrides } from "../platform/time/business-days.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { sweep, type Found } from "../platform/work/sweep.ts";
import { lastDueDays } from "./business-days.ts";

const BATCH = 500;

interface DueSettlement extends Found {
  readonly paymentId: string;
}

/**
 * Books the due settlements: the net of each succeeded payment moves from payable to available, once. Any number of
 * workers may run it at a time. Returns the number of settled payments.
 */
export async function settleDue({ pool }: Environment, clock: Clock): Promise<number> {
  const now = new Date(clock.nowMs());
  const today = dayOf(now);
  const termDaysMax = await longestOpenTerm(pool);
  if (termDaysMax === undefined) return 0;
  const lastDays = lastDueDays(today, termDaysMax, await findOverrides(pool)).map((day) => day.toString());
  return await sweep<DueSettlement>({
    pool,
    batch: BATCH,
    find: async (limit, exceptTenants) => await findDue(pool, lastDays, limit, exceptTenants),
    change: async (client, tenantId, rows) => {
      const paymentIds = rows.map(({ paymentId }) => paymentId);
      return await settle(client, tenantId, paymentIds, now);
    },
  });
}

/** Returns the days on which the banks differ from the national calendar. */
export async function findOverrides(pool: Pick<pg.Pool, "query">): Promise<Overrides> {
  const { rows } = await pool.query<{ day: string; isBusinessDay: boolean }>(
    `SELECT DISTINCT ON (day) day::text, is_business_day AS "isBusinessDay" FROM business_day_override
      WHERE tenant_id = 'default' ORDER BY day, number DESC`,
  );
  return new Map(rows.map(({ day, isBusinessDay }) => [day, isBusinessDay]));
}

/** Returns the most business days that an open settlement waits for, or undefined if none is open. */
async function longestOpenTerm(pool: pg.Pool): Promise<number | undefined> {
  const { rows } = await pool.query<{ termDays: number }>({
    name: "longest open term",
    text: `SELECT term_days AS "termDays" FROM settlement WHERE settled_at IS NULL ORDER BY term_days DESC LIMIT 1`,
  });
  return rows[0]?.termDays;
}

/** Returns due settlements. `lastDays` has for each term, from D+0 on, the last day of success that is due. */
async function findDue(
  pool: pg.Pool,
  lastDays: readonly string[],
  limit: number,
  exceptTenants: readonly string[],
): Promise<DueSettlement[]> {
  const { rows } = await pool.query<DueSettlement>({
    name: "find due settlements",
    text: `SELECT s.tenant_id AS "tenantId", s.payment_id AS "paymentId"
      FROM unnest($1::date[]) WITH ORDINALITY AS due (last_day, number)
      JOIN settlement s ON s.term_days = due.number::int - 1 AND s.succeeded_on <= due.last_day
      WHERE s.settled_at IS NULL AND s.tenant_id <> ALL ($3) LIMIT $2`,
    values: [lastDays, limit, exceptTenants],
  });
  return rows;
}

/** Settles those of a tenant's payments that are not settled yet. Skips rows that another worker has locked. */
async function settle(
  client: pg.PoolClient,
  tenantId: string,
  paymentIds: readonly string[],
  now: Date,
): Promise<number> {
  const { rowCount } = await client.query({
    name: "settle payments",
    text: `WITH due AS (
        SELECT tenant_id, payment_id FROM settlement
        WHERE tenant_id = $1 AND payment_id = ANY ($2) AND settled_at IS NULL
        ORDER BY payment_id FOR UPDATE SKIP LOCKED
      ), entry AS (
        INSERT INTO ledger_entry (tenant_id, payment_id, kind, booked_at)
        SELECT tenant_id, payment_id, 'settlement', $3 FROM due
      ), payable AS (
        SELECT l.tenant_id, l.payment_id, l.currency, l.credit_minor AS minor FROM due d
        JOIN ledger_line l ON l.payment_id = d.payment_id AND l.kind = 'payment'
        WHERE l.tenant_id = $1 AND l.account = 'merchant_payable'
      ), lines AS (
        INSERT INTO ledger_line (tenant_id, payment_id, kind, number, account, currency, debit_minor, credit_minor)
        SELECT tenant_id, payment_id, 'settlement', 1, 'merchant_payable', currency, minor, 0 FROM payable
        UNION ALL
        SELECT tenant_id, payment_id, 'settlement', 2, 'merchant_available', currency, 0, minor FROM payable
      )
      UPDATE settlement s SET settled_at = $3 FROM due d
      WHERE s.tenant_id = $1 AND s.payment_id = d.payment_id`,
    values: [tenantId, paymentIds, now],
  });
  return rowCount ?? 0;
}
