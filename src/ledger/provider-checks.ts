// The postings of `provider-postings.ts`, written a second time and independently, as SQL. Above 0 is a debit. A fact is
// what a card provider said of an installment, as `../receivables/` keeps it.
const LINES = `('provider_receivable', CASE f.kind WHEN 'receivable' THEN f.amount_minor ELSE -f.amount_minor END),
  ('provider_clearing', CASE f.kind WHEN 'receivable' THEN -f.amount_minor
    WHEN 'chargeback' THEN f.amount_minor WHEN 'refund_deduction' THEN f.amount_minor ELSE 0 END),
  ('provider_fee', CASE f.kind WHEN 'provider_fee' THEN f.amount_minor ELSE 0 END),
  ('provider_fee.anticipation', CASE f.kind WHEN 'anticipation' THEN f.amount_minor ELSE 0 END),
  ('provider_balance', CASE f.kind WHEN 'payout' THEN f.amount_minor ELSE 0 END)`;

const FACTS = `SELECT tenant_id, payment_id, kind, amount_minor, to_char(installment, 'FM00') || '.' || number AS source_id
  FROM receivable_fact WHERE amount_minor <> 0`;

/** The lines that facts are to have in the books, in SQL. */
export const PROVIDER_LINES = `SELECT f.tenant_id, f.payment_id, f.kind, f.source_id, line.account, 'BRL' AS currency,
    line.minor AS debit_minor, 0 AS credit_minor
  FROM (${FACTS}) AS f, LATERAL (VALUES ${LINES}) AS line(account, minor)`;

const total = (kind: string): string => `coalesce(sum(f.amount_minor) FILTER (WHERE f.kind = '${kind}'), 0)`;

/** The selects of what must never be of card providers' money. Their columns are code, tenant, payment and detail. */
export const PROVIDER_CHECKS = [
  `SELECT 'missing_entry', f.tenant_id, f.payment_id, concat('the ', f.kind, ' ', f.source_id, ' is not in the books')
    FROM (${FACTS}) AS f WHERE NOT EXISTS (SELECT FROM ledger_entry e
      WHERE (e.tenant_id, e.payment_id, e.kind, e.source_id) = (f.tenant_id, f.payment_id, f.kind, f.source_id))`,
  `SELECT 'unexpected_entry', e.tenant_id, e.payment_id, concat('no provider said the ', e.kind, ' ', e.source_id)
    FROM ledger_entry e WHERE e.kind NOT IN ('payment', 'settlement', 'refund', 'return', 'return_reversal')
      AND NOT EXISTS (SELECT FROM (${FACTS}) AS f
        WHERE (f.tenant_id, f.payment_id, f.kind, f.source_id) = (e.tenant_id, e.payment_id, e.kind, e.source_id))`,
  `SELECT 'wrong_receivable', f.tenant_id, f.payment_id,
      concat('the installments are ', ${total("receivable")}, ', the price is ', r.payer_total_minor)
    FROM receivable_fact f JOIN payment p ON p.tenant_id = f.tenant_id AND p.id = f.payment_id
      JOIN price r ON r.tenant_id = p.tenant_id AND r.id = p.price_id
    GROUP BY f.tenant_id, f.payment_id, r.payer_total_minor HAVING ${total("receivable")} <> r.payer_total_minor`,
  `SELECT 'wrong_receivable', tenant_id, payment_id, concat('installment ', installment, ': ', gross, ' less ', fee, ', ',
      anticipation, ', ', chargeback, ' and ', refunded, ' was paid out as ', payout)
    FROM (SELECT tenant_id, payment_id, installment, ${total("receivable")} AS gross, ${total("provider_fee")} AS fee,
        ${total("anticipation")} AS anticipation, ${total("chargeback")} AS chargeback,
        ${total("refund_deduction")} AS refunded, ${total("payout")} AS payout
      FROM receivable_fact f GROUP BY tenant_id, payment_id, installment) AS sums
    WHERE least(gross, fee, anticipation, chargeback, refunded) < 0
      OR (payout <> 0 AND gross - fee - anticipation - chargeback - refunded <> payout)`,
];
