import type { Environment } from "../platform/db/database.ts";
import { LONG_QUERY_MS } from "../platform/db/query-limits.ts";
import { atLength } from "../platform/db/transaction.ts";
import type { Problem } from "./books.ts";

const PROBLEMS_MAX = 1000;

/**
 * Returns at most 1000 differences between payments changed since then and their prices. Compared with the price row
 * are: the price that the payer saw and acknowledged, the amount requested from the provider, the booked amounts, and
 * the amounts in events. It reads the stored rows in SQL, and shares no code with the writers.
 */
export async function findPriceDifferences({ pool }: Environment, since: Date | null): Promise<Problem[]> {
  const text = `WITH paid AS MATERIALIZED (
      SELECT p.tenant_id, p.id, p.price_id, p.status, p.method, r.fee_handling, r.installments, r.payer_total_minor,
        r.payer_currency, r.receiver_net_minor, r.receiver_currency, r.total_fee_minor, r.pricing_currency
      FROM payment p JOIN price r ON r.tenant_id = p.tenant_id AND r.id = p.price_id
      WHERE $1::timestamptz IS NULL OR coalesce(p.updated_at, p.created_at) >= $1
    )
    SELECT code, tenant_id AS "tenantId", id AS "paymentId", detail
    FROM (${DIFFERENCES.join("\nUNION ALL\n")}) AS found ORDER BY 2, 3, 1 LIMIT ${PROBLEMS_MAX}`;
  return await atLength(
    pool,
    LONG_QUERY_MS,
    async (client) => (await client.query<Problem>(text, [since])).rows,
  );
}

const difference = (code: string, detail: string): string =>
  `SELECT '${code}' AS code, paid.tenant_id, paid.id, ${detail} AS detail FROM paid`;
const differs = (what: string, found: string, priced: string): string =>
  `concat('${what} ', coalesce(${found}::text, 'none'), ', priced ', ${priced})`;

const CHARGE = "JOIN charge c ON c.tenant_id = paid.tenant_id AND c.payment_id = paid.id";
// A code is a row of fields: two digits name one, two are its length. Field 54 is the amount, which a dynamic code may leave
// to its charge; 63 is the last one. A code that ends elsewhere has no amount that can be known.
const CODE = String.raw`CROSS JOIN LATERAL (
    WITH RECURSIVE field (name, value, rest) AS (
      SELECT NULL::text, NULL::text, c.pix_code
      UNION ALL
      SELECT left(rest, 2), substr(rest, 5, size), substr(rest, 5 + size)
      FROM field CROSS JOIN LATERAL (SELECT CASE WHEN rest ~ '^\d{4}' THEN substr(rest, 3, 2)::int END AS size) AS s
      WHERE length(rest) >= 4 + size
    )
    SELECT string_agg(value, ' ') FILTER (WHERE name = '54') AS amount, bool_or(name = '63' AND rest = '') AS is_whole FROM field
  ) AS code`;
const CODE_AMOUNT = String.raw`CASE WHEN code.amount ~ '^\d+\.\d\d$' THEN replace(code.amount, '.', '')::int8 END`;

const booked = (account: string, sign: "debit" | "credit"): string =>
  `SELECT sum(${sign}_minor) AS minor, min(currency) AS currency FROM ledger_line l
    WHERE l.tenant_id = paid.tenant_id AND l.payment_id = paid.id AND l.kind = 'payment' AND l.account = '${account}'`;

// An event that the database cannot read has no amounts: it is a difference, and does not end the check.
const DIFFERENCES = [
  `${difference("unseen_price", "'the price is none of those that the session showed'")} ${CHARGE}
    WHERE NOT EXISTS (SELECT FROM checkout_session s
        JOIN checkout_option o ON o.tenant_id = s.tenant_id AND o.price_list_id = s.price_list_id
      WHERE s.tenant_id = c.tenant_id AND s.id = c.session_id AND o.price_id = paid.price_id)`,
  `${difference("acknowledged_total", differs("acknowledged", "c.acknowledged_total_minor", "payer_total_minor"))} ${CHARGE}
    WHERE c.acknowledged_total_minor <> payer_total_minor
      OR (c.acknowledged_total_minor IS NULL AND fee_handling = 'pass_through')`,
  `${difference("code_amount", differs("the code asks for", CODE_AMOUNT, "payer_total_minor"))} ${CHARGE} ${CODE}
    WHERE c.pix_code IS NOT NULL
      AND (code.is_whole IS NOT TRUE OR (code.amount IS NOT NULL AND ${CODE_AMOUNT} IS DISTINCT FROM payer_total_minor))`,
  `${difference("charged_amount", differs("the provider charges", "s.amount_minor", "payer_total_minor"))} ${CHARGE}
    JOIN sandbox_charge s ON s.tenant_id = c.tenant_id AND s.reference = c.reference
    WHERE s.amount_minor <> payer_total_minor`,
  `${difference("expected_amount", differs("the exception expected", "x.expected_minor", "payer_total_minor"))}
    JOIN payment_exception x ON x.tenant_id = paid.tenant_id AND x.payment_id = paid.id
    WHERE x.expected_minor <> payer_total_minor OR (x.reason = 'wrong_amount' AND x.amount_minor = payer_total_minor)`,
  `${difference("booked_total", differs("booked", "b.minor", "payer_total_minor"))}
    CROSS JOIN LATERAL (${booked("provider_clearing", "debit")}) AS b
    WHERE status = 'succeeded' AND (b.minor, b.currency) IS DISTINCT FROM (payer_total_minor, payer_currency)`,
  `${difference("booked_net", differs("booked", "b.minor", "receiver_net_minor"))}
    CROSS JOIN LATERAL (${booked("merchant_payable", "credit")}) AS b
    WHERE status = 'succeeded' AND (b.minor, b.currency) IS DISTINCT FROM (receiver_net_minor, receiver_currency)`,
  `${difference("told_amounts", "concat('an event tells ', t.payment->>'amount', ', ', t.payment->>'net_amount')")}
    JOIN event e ON e.tenant_id = paid.tenant_id AND e.object_id = paid.id
    CROSS JOIN LATERAL (SELECT event_payment(e.body) AS payment) AS t
    WHERE t.payment IS NOT NULL AND (t.payment->>'id', (t.payment->>'amount')::int8, t.payment->>'currency', (t.payment->>'gross_amount')::int8,
        (t.payment->>'fee_amount')::int8, t.payment->>'fee_currency', (t.payment->>'net_amount')::int8, t.payment->>'net_currency')
      IS DISTINCT FROM (paid.id, payer_total_minor, payer_currency, payer_total_minor,
        total_fee_minor, pricing_currency, receiver_net_minor, receiver_currency)`,
];
