import type pg from "pg";
import type { Environment } from "../platform/db/database.ts";
import { LONG_QUERY_MS } from "../platform/db/query-limits.ts";
import { atLength } from "../platform/db/transaction.ts";
import type { Currency } from "../pricing/fee-rule.ts";
import type { LedgerEntryKind } from "./entities.ts";
import type { Account, Line } from "./postings.ts";
import { PROVIDER_CHECKS, PROVIDER_LINES } from "./provider-checks.ts";
import { REFUND_CHECKS, REFUND_LINES } from "./refund-checks.ts";
import { SUM_CHECK } from "./sum-check.ts";

export interface Entry {
  readonly kind: LedgerEntryKind;
  /** The refund or return, or which one of an installment's entries it is; empty of a payment and its settlement. */
  readonly sourceId: string;
  readonly bookedAt: Date;
  readonly lines: readonly Line[];
}

/** An inconsistency in the books that must never occur. */
export interface Problem {
  readonly code: string;
  readonly tenantId: string;
  /** Empty of a kept sum. */
  readonly paymentId: string;
  readonly detail: string;
}

export const PROBLEMS_MAX = 1000;

/** Returns the entries of a payment, oldest first. */
export async function entriesOf(
  { pool }: Environment,
  tenantId: string,
  paymentId: string,
): Promise<Entry[]> {
  const { rows } = await pool.query<{
    kind: LedgerEntryKind;
    sourceId: string;
    bookedMs: string;
    account: Account;
    currency: Currency;
    debit: string;
    credit: string;
  }>({
    name: "entries of a payment",
    text: `SELECT e.kind, e.source_id AS "sourceId", (date_part('epoch', e.booked_at) * 1000)::int8::text AS "bookedMs",
        l.account, l.currency, l.debit_minor::text AS debit, l.credit_minor::text AS credit
      FROM ledger_entry e JOIN ledger_line l USING (tenant_id, payment_id, kind, source_id)
      WHERE e.tenant_id = $1 AND e.payment_id = $2 ORDER BY e.booked_at, e.kind, e.source_id, l.number`,
    values: [tenantId, paymentId],
  });
  const entries = Map.groupBy(rows, ({ kind, sourceId }) => `${kind} ${sourceId}`);
  return [...entries.values()].map((lines) => ({
    ...entryOf(lines[0] as (typeof rows)[number]),
    lines: lines.map(({ account, currency, debit, credit }) => ({
      account,
      currency,
      debitMinor: BigInt(debit),
      creditMinor: BigInt(credit),
    })),
  }));
}

function entryOf({
  kind,
  sourceId,
  bookedMs,
}: Pick<Entry, "kind" | "sourceId"> & { readonly bookedMs: string }): Omit<Entry, "lines"> {
  return { kind, sourceId, bookedAt: new Date(Number(bookedMs)) };
}

/** Checks the books of every tenant. Returns at most 1000 problems. */
export async function checkBooks({ pool }: Environment): Promise<{
  entryCount: bigint;
  paymentCount: bigint;
  problems: Problem[];
}> {
  return await atLength(pool, LONG_QUERY_MS, checkBooksOn);
}

async function checkBooksOn(
  client: pg.PoolClient,
): Promise<{ entryCount: bigint; paymentCount: bigint; problems: Problem[] }> {
  const counts = await client.query<{ entries: string; payments: string }>(
    `SELECT (SELECT count(*) FROM ledger_entry)::text AS entries,
      (SELECT count(*) FROM payment WHERE status = 'succeeded')::text AS payments`,
  );
  const { rows } = await client.query<Problem>(
    `SELECT * FROM (${CHECKS.join("\nUNION ALL\n")}) AS found ORDER BY 2, 3, 1 LIMIT ${PROBLEMS_MAX}`,
  );
  return {
    entryCount: BigInt(counts.rows[0]?.entries ?? 0),
    paymentCount: BigInt(counts.rows[0]?.payments ?? 0),
    problems: rows,
  };
}

const problem = (code: string, detail: string): string =>
  `SELECT '${code}' AS code, tenant_id AS "tenantId", payment_id AS "paymentId", ${detail} AS detail`;

// The postings of `postings.ts` and `settlement.ts`, written a second time and independently. A check that used that
// code would repeat its errors. Above 0 is a debit.
const SUCCESS_LINES = `('provider_clearing', 'BRL', r.payer_total_minor),
  ('fx_position', 'BRL', CASE r.pricing_currency WHEN 'USD' THEN -r.payer_total_minor ELSE 0 END),
  ('fx_position', 'USD', CASE r.pricing_currency WHEN 'USD' THEN r.gross_minor ELSE 0 END),
  ('fx_position', r.pricing_currency, CASE r.receiver_currency WHEN r.pricing_currency THEN 0 ELSE -r.net_minor END),
  ('fx_position', r.receiver_currency, CASE r.receiver_currency WHEN r.pricing_currency THEN 0 ELSE r.receiver_net_minor END),
  ('merchant_payable', r.receiver_currency, -r.receiver_net_minor),
  ('revenue.service', r.pricing_currency, -r.service_fee_minor),
  ('revenue.installment', r.pricing_currency, -r.installment_surcharge_minor),
  ('tax_payable.iof', r.pricing_currency, -r.iof_amount_minor)`;
const SETTLEMENT_LINES = `('merchant_payable', r.receiver_currency, r.receiver_net_minor),
  ('merchant_available', r.receiver_currency, -r.receiver_net_minor)`;

const priced = (kind: LedgerEntryKind, lines: string): string =>
  `SELECT e.tenant_id, e.payment_id, e.kind, e.source_id, line.account, line.currency, line.minor AS debit_minor, 0 AS credit_minor
    FROM ledger_entry e JOIN payment p ON p.tenant_id = e.tenant_id AND p.id = e.payment_id
    JOIN price r ON r.tenant_id = p.tenant_id AND r.id = p.price_id, LATERAL (VALUES ${lines}) AS line(account, currency, minor)
    WHERE e.kind = '${kind}'`;

const sums = (lines: string): string =>
  `SELECT tenant_id, payment_id, kind, source_id, account, currency, sum(debit_minor - credit_minor) AS minor
    FROM ${lines} GROUP BY tenant_id, payment_id, kind, source_id, account, currency`;

const CHECKS = [
  `${problem("unbalanced_entry", "concat(kind, ': ', currency, ' debits ', sum(debit_minor), ', credits ', sum(credit_minor))")}
    FROM ledger_line GROUP BY tenant_id, payment_id, kind, source_id, currency HAVING sum(debit_minor) <> sum(credit_minor)`,
  `${problem("unbalanced_entry", "concat(kind, ': no lines')")} FROM ledger_entry e
    WHERE NOT EXISTS (SELECT FROM ledger_line l WHERE (l.tenant_id, l.payment_id, l.kind, l.source_id) = (e.tenant_id, e.payment_id, e.kind, e.source_id))`,
  `${problem("second_entry", "concat(count(*), ' entries of kind ', kind)")}
    FROM ledger_entry GROUP BY tenant_id, payment_id, kind, source_id HAVING count(*) > 1`,
  `SELECT 'missing_entry', p.tenant_id, p.id, 'the payment succeeded and is not in the books' FROM payment p
    WHERE p.status = 'succeeded' AND NOT EXISTS (SELECT FROM ledger_entry e
      WHERE e.tenant_id = p.tenant_id AND e.payment_id = p.id AND e.kind = 'payment')`,
  `SELECT 'missing_settlement', p.tenant_id, p.id, 'the payment succeeded and is not to be settled' FROM payment p
    WHERE p.status = 'succeeded' AND NOT EXISTS (SELECT FROM settlement s
      WHERE s.tenant_id = p.tenant_id AND s.payment_id = p.id)`,
  `SELECT 'missing_entry', s.tenant_id, s.payment_id, 'the payment was settled and the books do not show it'
    FROM settlement s WHERE s.settled_at IS NOT NULL AND NOT EXISTS (SELECT FROM ledger_entry e
      WHERE e.tenant_id = s.tenant_id AND e.payment_id = s.payment_id AND e.kind = 'settlement')`,
  `SELECT 'unexpected_entry', e.tenant_id, e.payment_id, concat('the payment is ', coalesce(p.status, 'unknown'))
    FROM ledger_entry e LEFT JOIN payment p ON p.tenant_id = e.tenant_id AND p.id = e.payment_id
    WHERE p.status IS DISTINCT FROM 'succeeded'`,
  `SELECT 'unexpected_entry', e.tenant_id, e.payment_id, 'settled in the books alone' FROM ledger_entry e
    WHERE e.kind = 'settlement' AND NOT EXISTS (SELECT FROM settlement s
      WHERE s.tenant_id = e.tenant_id AND s.payment_id = e.payment_id AND s.settled_at IS NOT NULL)`,
  `SELECT 'wrong_amount', tenant_id, payment_id, concat(kind, ': ', string_agg(
      concat(account, ' ', currency, ' is ', coalesce(booked.minor, 0), ', priced ', coalesce(priced.minor, 0)), '; '
      ORDER BY account, currency))
    FROM (${sums("ledger_line")}) AS booked
    FULL JOIN (${sums(`(${priced("payment", SUCCESS_LINES)} UNION ALL ${priced("settlement", SETTLEMENT_LINES)} UNION ALL ${REFUND_LINES} UNION ALL ${PROVIDER_LINES}) line`)}) AS priced
      USING (tenant_id, payment_id, kind, source_id, account, currency)
    WHERE coalesce(booked.minor, 0) <> coalesce(priced.minor, 0)
      AND EXISTS (SELECT FROM payment p WHERE (p.tenant_id, p.id) = (tenant_id, payment_id) AND p.status = 'succeeded')
    GROUP BY tenant_id, payment_id, kind, source_id`,
  ...REFUND_CHECKS,
  ...PROVIDER_CHECKS,
  SUM_CHECK,
];
