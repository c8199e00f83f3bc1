import { TIME_ZONE } from "../../contract/day.ts";
import type { Environment } from "../platform/db/database.ts";
import { dayPeriod } from "../platform/time/period.ts";
import { settlementDay } from "./business-days.ts";
import { findOverrides } from "./settlement.ts";

/** A merchant's money of one day in one currency. */
interface SettlementDay {
  readonly day: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly paymentCount: bigint;
}

type SumRow = {
  readonly day: string;
  readonly currency: string;
  readonly sum: string;
  readonly count: string;
};

/** Returns what is to become available by its day, the next first: what the ledger owes of payments not settled yet. */
export async function dueDays({ pool }: Environment, tenantId: string): Promise<SettlementDay[]> {
  const [{ rows }, overrides] = await Promise.all([
    pool.query<SumRow & { readonly termDays: number }>({
      name: "due settlement days",
      text: `SELECT s.succeeded_on::text AS day, s.term_days AS "termDays", l.currency,
          sum(l.credit_minor - l.debit_minor)::text AS sum, count(DISTINCT s.payment_id)::text AS count
        FROM settlement s JOIN ledger_line l ON l.tenant_id = s.tenant_id AND l.payment_id = s.payment_id
        WHERE s.tenant_id = $1 AND s.settled_at IS NULL AND l.account = 'merchant_payable'
        GROUP BY 1, 2, 3`,
      values: [tenantId],
    }),
    findOverrides(pool),
  ]);
  const days = rows.map(({ day, termDays, ...row }) =>
    sumOf({ ...row, day: settlementDay(Temporal.PlainDate.from(day), termDays, overrides).toString() }),
  );
  const merged = [...Map.groupBy(days, ({ day, currency }) => `${day} ${currency}`).values()].flatMap(added);
  return merged.toSorted((a, b) => a.day.localeCompare(b.day) || a.currency.localeCompare(b.currency));
}

/** Returns what became available on each day from `from` on, the last first. Error: invalid_request on from. */
export async function settledDays(
  { pool }: Environment,
  tenantId: string,
  from: string,
): Promise<SettlementDay[]> {
  const { rows } = await pool.query<SumRow>({
    name: "settled days",
    text: `SELECT to_char(s.settled_at AT TIME ZONE '${TIME_ZONE}', 'YYYY-MM-DD') AS day, l.currency,
        sum(l.credit_minor)::text AS sum, count(*)::text AS count
      FROM settlement s JOIN ledger_line l ON l.tenant_id = s.tenant_id AND l.payment_id = s.payment_id
      WHERE s.tenant_id = $1 AND s.settled_at >= $2 AND l.kind = 'settlement' AND l.account = 'merchant_available'
      GROUP BY 1, 2 ORDER BY 1 DESC, 2`,
    values: [tenantId, dayPeriod("from", from).from],
  });
  return rows.map(sumOf);
}

function sumOf({ day, currency, sum, count }: SumRow): SettlementDay {
  return { day, currency, amount: BigInt(sum), paymentCount: BigInt(count) };
}

function added(same: readonly SettlementDay[]): SettlementDay[] {
  const [first] = same;
  if (!first) return [];
  return [
    {
      ...first,
      amount: same.reduce((total, { amount }) => total + amount, 0n),
      paymentCount: same.reduce((total, { paymentCount }) => total + paymentCount, 0n),
    },
  ];
}
