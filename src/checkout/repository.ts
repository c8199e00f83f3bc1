import { Payment, type PlainPayment } from "../ledger/entities.ts";
import { PaymentLink, type PaymentLinkRow } from "../links/entities.ts";
import { SESSION_SECONDS } from "../links/link-price.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { RowQuery } from "../platform/db/row-query.ts";
import { sweep, type Found } from "../platform/work/sweep.ts";
import { PriceRow, type PriceValues } from "../pricing/entities.ts";
import type { FxColumns } from "../pricing/mapping.ts";
import { Charge, CheckoutSession, type ChargeRow, type CheckoutSessionRow } from "./entities.ts";

/** The columns of an option's price that are shown, unchanged. */
export type OptionPrice = Pick<
  PriceValues,
  | "id"
  | "method"
  | "installments"
  | "feeHandling"
  | "pricingCurrency"
  | "baseMinor"
  | "totalFeeMinor"
  | "serviceFeeMinor"
  | "installmentSurchargeMinor"
  | "iofAmountMinor"
  | "payerTotalMinor"
  | "payerCurrency"
  | "firstInstallmentMinor"
  | "otherInstallmentMinor"
> &
  FxColumns;

/** A session with the prices of its options, in the order of the options. */
export interface PricedSession {
  readonly session: CheckoutSessionRow;
  readonly prices: readonly OptionPrice[];
}

/** A charge with its payment, without its metadata: a payer's page reads up to ten, each time that it is asked for. */
export interface ChargedPayment {
  readonly charge: ChargeRow;
  readonly payment: PlainPayment;
}

const SESSION = new RowQuery(
  "session with its link",
  { session: CheckoutSession, link: PaymentLink },
  `FROM checkout_session session
    JOIN payment_link link ON link.tenant_id = session.tenant_id AND link.id = session.link_id
    WHERE session.tenant_id = $1 AND session.id = $2 AND session.link_id = $3`,
);
const SESSION_OF_CHARGE = new RowQuery(
  "session",
  { session: CheckoutSession },
  "FROM checkout_session session WHERE tenant_id = $1 AND id = $2",
);
const CHARGE_OF_PAYMENT = new RowQuery(
  "charge of a payment",
  { charge: Charge },
  "FROM charge WHERE tenant_id = $1 AND payment_id = $2",
);
const CHARGE_OF_REFERENCE = new RowQuery(
  "charge of a reference",
  { charge: Charge },
  "FROM charge WHERE tenant_id = $1 AND reference = $2",
);

const CHARGES_OF_SESSION = new RowQuery(
  "charges of a session",
  { charge: Charge, payment: Payment },
  `FROM charge JOIN payment ON payment.tenant_id = charge.tenant_id AND payment.id = charge.payment_id
    WHERE charge.tenant_id = $1 AND charge.session_id = $2 ORDER BY charge.number DESC`,
  ["metadata"],
);
const STATE = new RowQuery(
  "state of a charge",
  { charge: Charge, payment: Payment, price: PriceRow, link: PaymentLink },
  `FROM charge
    JOIN payment ON payment.tenant_id = charge.tenant_id AND payment.id = charge.payment_id
    JOIN price ON price.tenant_id = payment.tenant_id AND price.id = payment.price_id
    JOIN payment_link link ON link.tenant_id = payment.tenant_id AND link.id = payment.link_id
    WHERE charge.tenant_id = $1 AND charge.payment_id = $2`,
);

/** Returns a session with its link, or undefined if there is none. */
export async function findSession(
  environment: Environment,
  tenantId: string,
  linkId: string,
  id: string,
): Promise<{ readonly session: CheckoutSessionRow; readonly link: PaymentLinkRow } | undefined> {
  return await SESSION.first(environment, [tenantId, id, linkId]);
}

/**
 * A page reads up to 13 of them each time: a named query costs a fifth of loading entities. It keeps its plan, and
 * without statistics PostgreSQL would plan to read all prices of the tenant for each option: OFFSET 0 prevents that.
 */
export async function listOptionPrices(
  { pool }: Environment,
  { tenantId, priceListId }: CheckoutSessionRow,
): Promise<OptionPrice[]> {
  const { rows } = await pool.query<OptionPriceText>({
    name: "option prices",
    text: `SELECT p.id, p.method, p.installments::text, p.fee_handling AS "feeHandling",
        p.pricing_currency AS "pricingCurrency", p.base_minor::text AS "baseMinor",
        p.total_fee_minor::text AS "totalFeeMinor", p.service_fee_minor::text AS "serviceFeeMinor",
        p.installment_surcharge_minor::text AS "installmentSurchargeMinor",
        p.iof_amount_minor::text AS "iofAmountMinor", p.payer_total_minor::text AS "payerTotalMinor",
        p.payer_currency AS "payerCurrency", p.first_installment_minor::text AS "firstInstallmentMinor",
        p.other_installment_minor::text AS "otherInstallmentMinor", p.rate_micros::text AS "rateMicros",
        p.fx_rate_history_id::text AS "fxRateHistoryId", date_part('epoch', p.fx_locked_at)::text AS "fxLockedAt",
        date_part('epoch', p.fx_valid_until)::text AS "fxValidUntil"
      FROM checkout_option o
        CROSS JOIN LATERAL (SELECT * FROM price WHERE tenant_id = o.tenant_id AND id = o.price_id OFFSET 0) p
      WHERE o.tenant_id = $1 AND o.price_list_id = $2 ORDER BY o.number`,
    values: [tenantId, priceListId],
  });
  return rows.map((row) => ({
    ...row,
    installments: Number(row.installments),
    baseMinor: BigInt(row.baseMinor),
    totalFeeMinor: BigInt(row.totalFeeMinor),
    serviceFeeMinor: BigInt(row.serviceFeeMinor),
    installmentSurchargeMinor: BigInt(row.installmentSurchargeMinor),
    iofAmountMinor: BigInt(row.iofAmountMinor),
    payerTotalMinor: BigInt(row.payerTotalMinor),
    firstInstallmentMinor: BigInt(row.firstInstallmentMinor),
    otherInstallmentMinor: BigInt(row.otherInstallmentMinor),
    rateMicros: row.rateMicros === null ? null : BigInt(row.rateMicros),
    fxRateHistoryId: row.fxRateHistoryId === null ? null : BigInt(row.fxRateHistoryId),
    fxLockedAt: row.fxLockedAt === null ? null : new Date(Number(row.fxLockedAt) * 1000),
    fxValidUntil: row.fxValidUntil === null ? null : new Date(Number(row.fxValidUntil) * 1000),
  }));
}

type Words = "id" | "method" | "feeHandling" | "pricingCurrency" | "payerCurrency";
type OptionPriceText = Pick<OptionPrice, Words> &
  Record<Exclude<keyof OptionPrice, Words | keyof FxColumns>, string> &
  Record<keyof FxColumns, string | null>;

/**
 * Returns the link's price list with this fingerprint, or null, and whether the link has its maximum of open sessions.
 */
export async function findOpening(
  { pool }: Environment,
  { tenantId, id }: PaymentLinkRow,
  fingerprint: string,
  now: Date,
  openMax: number,
): Promise<{ priceListId: string | null; isFull: boolean }> {
  const { rows } = await pool.query<{ priceListId: string | null; isFull: boolean }>({
    name: "opening of a session",
    text: `SELECT
        (SELECT id FROM price_list WHERE tenant_id = $1 AND link_id = $2 AND fingerprint = $3) AS "priceListId",
        EXISTS (SELECT FROM checkout_session WHERE tenant_id = $1 AND link_id = $2 AND created_at > $4
          ORDER BY created_at DESC OFFSET $5 LIMIT 1) AS "isFull"`,
    values: [tenantId, id, fingerprint, secondsAfter(now, -SESSION_SECONDS), openMax - 1],
  });
  return rows[0] ?? { priceListId: null, isFull: false };
}

const REMOVED_BATCH = 500;

interface PastSession extends Found {
  readonly id: string;
}

/**
 * Removes sessions that ended by `until` without a started payment. Also removes price lists without a session, and
 * their prices and rates without other references. A session with a charge is never removed, whatever the charge's
 * outcome: money may still come. Returns the number of removed sessions.
 */
export async function removePastSessions({ pool }: Environment, until: Date): Promise<number> {
  return await sweep<PastSession>({
    pool,
    batch: REMOVED_BATCH,
    find: async (limit, exceptTenants) => {
      const { rows } = await pool.query<PastSession>({
        name: "find past sessions",
        text: `SELECT tenant_id AS "tenantId", id FROM checkout_session s
          WHERE payment_count = 0 AND expires_at <= $1 AND tenant_id <> ALL ($3)
            AND NOT EXISTS (SELECT FROM charge c WHERE c.tenant_id = s.tenant_id AND c.session_id = s.id)
          ORDER BY expires_at LIMIT $2`,
        values: [until, limit, exceptTenants],
      });
      return rows;
    },
    change: async (client, tenantId, past) => {
      const { rows } = await client.query<{ count: number }>({
        name: "remove past sessions",
        text: "SELECT remove_past_sessions($1, $2, $3) AS count",
        values: [tenantId, past.map(({ id }) => id), until],
      });
      return rows[0]?.count ?? 0;
    },
  });
}

/** Returns the charges of a session with their payments, newest first. */
export async function listCharges(
  environment: Environment,
  tenantId: string,
  sessionId: string,
): Promise<ChargedPayment[]> {
  return await CHARGES_OF_SESSION.all(environment, [tenantId, sessionId]);
}

/** Returns a charge with its payment, price and link, or undefined if there is none. */
export async function findState(environment: Environment, tenantId: string, paymentId: string) {
  return await STATE.first(environment, [tenantId, paymentId]);
}

/** Returns a charge's session, which stays as long as the charge does. */
export async function sessionOf(
  environment: Environment,
  { tenantId, sessionId }: Pick<ChargeRow, "tenantId" | "sessionId">,
): Promise<CheckoutSessionRow> {
  const found = await SESSION_OF_CHARGE.first(environment, [tenantId, sessionId]);
  if (!found) throw new Error(`there is no session ${sessionId}`);
  return found.session;
}

export async function findCharge(
  environment: Environment,
  tenantId: string,
  where: { readonly paymentId: string } | { readonly reference: string },
): Promise<ChargeRow | null> {
  const found =
    "paymentId" in where
      ? await CHARGE_OF_PAYMENT.first(environment, [tenantId, where.paymentId])
      : await CHARGE_OF_REFERENCE.first(environment, [tenantId, where.reference]);
  return found?.charge ?? null;
}
