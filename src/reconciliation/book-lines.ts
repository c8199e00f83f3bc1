import type pg from "pg";
import type { Mode } from "../platform/rpc/caller.ts";
import type { Environment } from "../platform/db/database.ts";
import type { LineKind } from "../providers/account-statement.ts";
import { SANDBOX_ACCOUNT } from "./deps.ts";
import { withContractedFees } from "./matching/fees.ts";
import { analyzeGrown } from "./statistics.ts";
import type { Account, OurLine } from "./matching/lines.ts";

// A commit can become visible this long after its time.
const OVERLAP_MS = 3_600_000;
const BATCH = 2000;
// With PIX an account's own id of the money may be its end-to-end id.
const END_TO_END_ID = /^[ED]\d{20}[A-Za-z0-9]{11}$/;

const DAY = (time: string): string => `(${time} AT TIME ZONE 'America/Sao_Paulo')::date::text`;

// $1: tenant, $2: the time from which on rows are new, $3: the account of charges without one; null: they are of none.
// Refunds, returns and reversals of cards are what receivables say, except in the sandbox, which has none.
const BOOKED: readonly string[] = [
  `SELECT 'payment ' || payment.id AS id, 'received' AS kind, coalesce(charge.account_id, $3) AS "accountId",
      ${DAY("coalesce(charge.paid_at, payment.updated_at, payment.created_at)")} AS day,
      price.payer_total_minor AS minor, payment.id AS "paymentId", charge.reference, charge.end_to_end_id AS "endToEndId",
      charge.provider_payment_id AS "providerPaymentId", NULL::int AS installment, payment.method AS method,
      charge.card_brand AS brand, coalesce(price.installments, 1) AS installments
    FROM payment JOIN charge ON charge.tenant_id = payment.tenant_id AND charge.payment_id = payment.id
    JOIN price ON price.tenant_id = payment.tenant_id AND price.id = payment.price_id
    WHERE payment.tenant_id = $1 AND coalesce(payment.updated_at, payment.created_at) >= $2
      AND payment.status = 'succeeded' AND charge.provider_payment_id IS NOT NULL
      AND (payment.method = 'pix' OR payment.method = 'card' AND charge.account_id IS NULL)`,
  `SELECT 'exception ' || exception.id AS id, 'received' AS kind, coalesce(charge.account_id, $3) AS "accountId",
      ${DAY("exception.received_at")} AS day, exception.amount_minor AS minor, exception.payment_id AS "paymentId",
      charge.reference, NULL AS "endToEndId", exception.provider_payment_id AS "providerPaymentId",
      NULL::int AS installment, NULL AS method, NULL AS brand, 1 AS installments
    FROM payment_exception exception JOIN charge ON charge.tenant_id = exception.tenant_id
      AND charge.payment_id = exception.payment_id
    JOIN payment ON payment.tenant_id = charge.tenant_id AND payment.id = charge.payment_id
    WHERE exception.tenant_id = $1 AND exception.created_at >= $2
      AND (payment.method = 'pix' OR payment.method = 'card' AND charge.account_id IS NULL)`,
  `SELECT CASE refund.origin WHEN 'merchant' THEN 'refund ' || refund.id
        ELSE 'return ' || coalesce(refund.provider_return_id, refund.id) END AS id,
      CASE refund.origin WHEN 'merchant' THEN 'refund' ELSE 'return' END AS kind,
      coalesce(refund.account_id, $3) AS "accountId", ${DAY("coalesce(refund.updated_at, refund.created_at)")} AS day,
      -(refund.amount_minor + CASE refund.origin WHEN 'provider' THEN refund.unbooked_minor ELSE 0 END) AS minor,
      refund.payment_id AS "paymentId", charge.reference, NULL AS "endToEndId",
      refund.provider_payment_id AS "providerPaymentId", NULL::int AS installment, NULL AS method, NULL AS brand, 1 AS installments
    FROM refund JOIN charge ON charge.tenant_id = refund.tenant_id AND charge.payment_id = refund.payment_id
    JOIN payment ON payment.tenant_id = refund.tenant_id AND payment.id = refund.payment_id
    WHERE refund.tenant_id = $1 AND refund.status = 'succeeded' AND refund.updated_at >= $2
      AND refund.provider_payment_id IS NOT NULL AND refund.rest_of IS NULL
      AND (payment.method = 'pix' OR payment.method = 'card' AND charge.account_id IS NULL)`,
  `SELECT 'reversal ' || coalesce(refund.provider_return_id, refund.id) AS id, 'return' AS kind, $3 AS "accountId",
      ${DAY("refund.reversed_at")} AS day, refund.amount_minor + refund.unbooked_minor AS minor,
      refund.payment_id AS "paymentId", charge.reference, NULL AS "endToEndId",
      refund.provider_payment_id AS "providerPaymentId", NULL::int AS installment, NULL AS method, NULL AS brand, 1 AS installments
    FROM refund JOIN charge ON charge.tenant_id = refund.tenant_id AND charge.payment_id = refund.payment_id
    JOIN payment ON payment.tenant_id = refund.tenant_id AND payment.id = refund.payment_id
    WHERE refund.tenant_id = $1 AND refund.reversed_at >= $2 AND refund.rest_of IS NULL
      AND payment.method = 'card' AND charge.account_id IS NULL`,
  `SELECT CASE fact.kind WHEN 'receivable' THEN 'installment ' WHEN 'provider_fee' THEN 'fee ' ELSE fact.kind || ' ' END
        || fact.payment_id || '/' || fact.installment || '.' || fact.number AS id,
      CASE fact.kind WHEN 'receivable' THEN 'installment' WHEN 'provider_fee' THEN 'fee'
        WHEN 'refund_deduction' THEN 'refund' ELSE fact.kind END AS kind,
      coalesce(fact.account_id, $3) AS "accountId",
      coalesce(owed.on_day::text, ${DAY("fact.created_at")}) AS day,
      CASE fact.kind WHEN 'receivable' THEN fact.amount_minor ELSE -fact.amount_minor END AS minor,
      fact.payment_id AS "paymentId", charge.reference, NULL AS "endToEndId",
      charge.provider_payment_id AS "providerPaymentId", fact.installment,
      CASE fact.kind WHEN 'receivable' THEN 'card' END AS method, charge.card_brand AS brand,
      coalesce(price.installments, 1) AS installments
    FROM receivable_fact fact JOIN charge ON charge.tenant_id = fact.tenant_id AND charge.payment_id = fact.payment_id
    JOIN payment ON payment.tenant_id = fact.tenant_id AND payment.id = fact.payment_id
    JOIN price ON price.tenant_id = payment.tenant_id AND price.id = payment.price_id
    LEFT JOIN LATERAL (SELECT on_day FROM receivable_fact first WHERE first.tenant_id = fact.tenant_id
      AND first.payment_id = fact.payment_id AND first.installment = fact.installment AND first.kind = 'receivable'
      ORDER BY number DESC LIMIT 1) owed ON true
    WHERE fact.tenant_id = $1 AND fact.created_at >= $2 AND fact.kind <> 'payout' AND fact.amount_minor <> 0`,
];

interface Booked extends Pick<
  OurLine,
  "id" | "accountId" | "day" | "paymentId" | "reference" | "endToEndId" | "providerPaymentId" | "installment"
> {
  readonly kind: LineKind;
  readonly minor: string;
  readonly method: string | null;
  readonly brand: string | null;
  readonly installments: number;
}

/**
 * Adds the lines of our books that are new since a time, with the fees that accounts have agreed. What the books say is
 * taken from payments' price rows, refunds, returns and receivables: nothing is computed again. Returns the first day of
 * a new line, or null.
 */
export async function addBookLines(
  { pool }: Environment,
  mode: Mode,
  tenantId: string,
  since: Date,
  accounts: readonly (Account & { readonly firstDay: string })[],
): Promise<string | null> {
  const known = new Map(accounts.map((account) => [account.id, account]));
  const from = new Date(Math.max(0, since.getTime() - OVERLAP_MS));
  let first: string | null = null;
  let count = 0;
  for (const query of BOOKED) {
    let after = "";
    for (;;) {
      const { rows } = await pool.query<Booked>({
        text: `SELECT * FROM (${query}) AS booked WHERE id > $4 COLLATE "C" ORDER BY id COLLATE "C" LIMIT ${BATCH}`,
        values: [tenantId, from, mode === "test" ? SANDBOX_ACCOUNT : null, after],
      });
      const lines = rows
        .filter(({ accountId, day }) => day >= (known.get(accountId)?.firstDay ?? "9999"))
        .map(toLine);
      const added = await insertLines(pool, tenantId, withContractedFees(lines, known));
      count += added.count;
      if (added.day !== null && (first === null || added.day < first)) first = added.day;
      if (rows.length < BATCH) break;
      after = rows.at(-1)?.id ?? "";
    }
  }
  await analyzeGrown(pool, "book_line", count);
  return first;
}

function toLine({ minor, method, brand, installments, ...row }: Booked): OurLine {
  const { endToEndId, providerPaymentId, day } = row;
  const isEndToEnd = providerPaymentId !== null && END_TO_END_ID.test(providerPaymentId);
  return {
    ...row,
    endToEndId: endToEndId ?? (isEndToEnd ? providerPaymentId : null),
    amountMinor: BigInt(minor),
    dueOn: day,
    terms: method === null ? null : { kind: method, brand, installments },
  };
}

/** A fee that the books have is left out where the contracted one stands for it. Returns the first day of a new line, and their number. */
async function insertLines(
  pool: pg.Pool,
  tenantId: string,
  lines: readonly OurLine[],
): Promise<{ readonly day: string | null; readonly count: number }> {
  if (lines.length === 0) return { day: null, count: 0 };
  const { rows } = await pool.query<{ day: string | null; count: number }>({
    name: "insert book lines",
    text: `WITH added AS (
        INSERT INTO book_line (tenant_id, account_id, id, kind, day, amount_minor, payment_id, reference, end_to_end_id,
          provider_payment_id, installment, due_on)
        SELECT $1, new.* FROM unnest($2::text[], $3::text[], $4::text[], $5::date[], $6::int8[], $7::text[], $8::text[],
            $9::text[], $10::text[], $11::int[], $12::date[])
          AS new (account_id, id, kind, day, amount_minor, payment_id, reference, end_to_end_id, provider_payment_id,
            installment, due_on)
        WHERE new.kind <> 'fee' OR new.id LIKE 'fee of %' OR NOT EXISTS (SELECT FROM book_line known
          WHERE known.tenant_id = $1 AND known.payment_id = new.payment_id COLLATE "C" AND known.id LIKE 'fee of %'
            AND coalesce(known.installment, 1) = coalesce(new.installment, 1))
        ON CONFLICT DO NOTHING RETURNING day)
      SELECT min(day)::text AS day, count(*)::int AS count FROM added`,
    values: [
      tenantId,
      lines.map(({ accountId }) => accountId),
      lines.map(({ id }) => id),
      lines.map(({ kind }) => kind),
      lines.map(({ day }) => day),
      lines.map(({ amountMinor }) => amountMinor),
      lines.map(({ paymentId }) => paymentId),
      lines.map(({ reference }) => reference),
      lines.map(({ endToEndId }) => endToEndId),
      lines.map(({ providerPaymentId }) => providerPaymentId),
      lines.map(({ installment }) => installment),
      lines.map(({ dueOn }) => dueOn),
    ],
  });
  return rows[0] ?? { day: null, count: 0 };
}
