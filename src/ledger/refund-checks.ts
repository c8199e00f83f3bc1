// The postings of `refund-postings.ts`, written a second time and independently, as SQL. Above 0 is a debit. The row `s`
// has the amount that had left before it and after it, and the parts of its price that belong to it.
const LINES = `('provider_clearing', 'BRL', -(s.after_minor - s.before_minor)),
  ('fx_position', 'BRL', CASE s.pricing_currency WHEN 'USD' THEN s.after_minor - s.before_minor ELSE 0 END),
  ('fx_position', 'USD', CASE s.pricing_currency WHEN 'USD' THEN -s.gross ELSE 0 END),
  ('revenue.service', s.pricing_currency, s.service_fee),
  ('revenue.installment', s.pricing_currency, s.surcharge),
  ('tax_payable.iof', s.pricing_currency, s.iof),
  ('merchant_available', s.receiver_currency, CASE s.receiver_currency WHEN s.pricing_currency THEN s.borne ELSE s.paid_out END),
  ('fx_position', s.pricing_currency, CASE s.receiver_currency WHEN s.pricing_currency THEN 0 ELSE s.borne END),
  ('fx_position', s.receiver_currency, CASE s.receiver_currency WHEN s.pricing_currency THEN 0 ELSE -s.paid_out END)`;

/** Returns a value's part that left with the refund: what had left after it, less what had left before. */
const part = (whole: string): string =>
  `div(f.after_minor * (${whole})::numeric, r.payer_total_minor) - div(f.before_minor * (${whole})::numeric, r.payer_total_minor)`;
const given = (whole: string): string => `CASE f.fee_rule WHEN 'service' THEN ${part(whole)} ELSE 0 END`;

// What came back of a return is a step of its own, whose lines are the opposite.
const LEFT = `SELECT tenant_id, id, payment_id, fee_rule, CASE origin WHEN 'provider' THEN 'return' ELSE 'refund' END AS kind,
    before_minor, before_minor + amount_minor AS after_minor, 1 AS sign
  FROM refund WHERE status = 'succeeded' AND exception_id IS NULL
  UNION ALL SELECT tenant_id, id, payment_id, fee_rule, 'return_reversal', reversed_before_minor,
    reversed_before_minor + amount_minor, -1
  FROM refund WHERE reversed_at IS NOT NULL AND exception_id IS NULL`;

const PARTS = `SELECT f.*, r.pricing_currency, r.receiver_currency, ${part("r.gross_minor")} AS gross,
    ${given("r.service_fee_minor")} AS service_fee, ${given("r.installment_surcharge_minor")} AS surcharge,
    ${given("r.iof_amount_minor")} AS iof,
    ${part("CASE f.fee_rule WHEN 'service' THEN r.receiver_net_minor ELSE div(r.gross_minor::numeric * r.receiver_net_minor, r.net_minor) END")} AS paid_out
  FROM (${LEFT}) AS f JOIN payment p ON p.tenant_id = f.tenant_id AND p.id = f.payment_id
    JOIN price r ON r.tenant_id = p.tenant_id AND r.id = p.price_id`;

/** The lines that succeeded refunds and returns are to have in the books, in SQL. */
export const REFUND_LINES = `SELECT s.tenant_id, s.payment_id, s.kind, s.id AS source_id, line.account, line.currency,
    line.minor * s.sign AS debit_minor, 0 AS credit_minor
  FROM (SELECT parts.*, CASE pricing_currency WHEN 'USD' THEN gross ELSE after_minor - before_minor END
      - service_fee - surcharge - iof AS borne FROM (${PARTS}) AS parts) AS s,
    LATERAL (VALUES ${LINES}) AS line(account, currency, minor)`;

/** The selects of what must never be of refunds and returns. Their columns are code, tenant, payment and detail. */
export const REFUND_CHECKS = [
  `SELECT 'missing_entry', f.tenant_id, f.payment_id, concat('the ', f.kind, ' ', f.id, ' is not in the books')
    FROM (${LEFT}) AS f WHERE NOT EXISTS (SELECT FROM ledger_entry e
      WHERE (e.tenant_id, e.payment_id, e.kind, e.source_id) = (f.tenant_id, f.payment_id, f.kind, f.id))`,
  `SELECT 'unexpected_entry', e.tenant_id, e.payment_id, concat('there is no ', e.kind, ' ', e.source_id, ' that succeeded')
    FROM ledger_entry e WHERE e.kind IN ('refund', 'return', 'return_reversal') AND NOT EXISTS (SELECT FROM (${LEFT}) AS f
      WHERE (f.tenant_id, f.payment_id, f.kind, f.id) = (e.tenant_id, e.payment_id, e.kind, e.source_id))`,
  `SELECT 'wrong_refunded_amount', p.tenant_id, p.id, concat('refunded ', p.refunded_minor, ' of ',
      p.refund_reserved_minor, ', the refunds and returns are ', coalesce(f.left_minor, 0), ' of ', coalesce(f.held_minor, 0))
    FROM payment p LEFT JOIN (SELECT tenant_id, payment_id,
        sum(amount_minor) FILTER (WHERE status = 'succeeded' AND reversed_at IS NULL) AS left_minor,
        sum(amount_minor) FILTER (WHERE status <> 'failed' AND reversed_at IS NULL) AS held_minor
      FROM refund WHERE exception_id IS NULL GROUP BY tenant_id, payment_id) AS f
      ON f.tenant_id = p.tenant_id AND f.payment_id = p.id
    WHERE (p.refunded_minor, p.refund_reserved_minor) <> (0, 0) OR f.held_minor IS NOT NULL
    GROUP BY p.tenant_id, p.id, p.refunded_minor, p.refund_reserved_minor, f.left_minor, f.held_minor
    HAVING (p.refunded_minor, p.refund_reserved_minor) <> (coalesce(f.left_minor, 0), coalesce(f.held_minor, 0))`,
  `SELECT 'wrong_refunded_amount', tenant_id, payment_id, concat('the steps of what left do not meet at ', minor)
    FROM (SELECT f.tenant_id, f.payment_id, point.minor, point.count FROM (${LEFT}) AS f,
        LATERAL (VALUES (f.after_minor, f.sign), (f.before_minor, -f.sign)) AS point(minor, count)
      UNION ALL SELECT p.tenant_id, p.id, point.minor, point.count FROM payment p,
        LATERAL (VALUES (p.refunded_minor, -1), (0, 1)) AS point(minor, count)
      WHERE p.refunded_minor <> 0) AS points
    GROUP BY tenant_id, payment_id, minor HAVING sum(count) <> 0`,
  `SELECT 'wrong_refunded_amount', f.tenant_id, f.payment_id, concat(f.unbooked_minor, ' of the chargeback ', f.id,
      ' is not booked, and ', r.payer_total_minor - p.refunded_minor, ' is left')
    FROM refund f JOIN payment p ON p.tenant_id = f.tenant_id AND p.id = f.payment_id
      JOIN price r ON r.tenant_id = p.tenant_id AND r.id = p.price_id
    WHERE f.origin = 'provider' AND f.unbooked_minor > 0 AND f.status = 'succeeded' AND f.reversed_at IS NULL
      AND f.exception_id IS NULL AND p.refunded_minor < r.payer_total_minor`,
];
