import fc from "fast-check";
import { pricingCurrency, type Currency, type FeeRule } from "../../src/pricing/fee-rule.ts";
import { computePrice, isNetPositive, type Price, type PriceInput } from "../../src/pricing/price.ts";
import { newId } from "../../contract/ids.ts";
import type { DatabaseRows } from "./database-rows.ts";
import { seedFor } from "./seed.ts";

/** A payment as it is put into the database, past the service. */
export interface BulkPayment {
  readonly id: string;
  readonly status: "pending" | "processing" | "succeeded" | "failed" | "expired";
  readonly failureCode: string | null;
  readonly linkId: string | null;
  readonly reference: string | null;
  readonly metadata: object;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  readonly input: PriceInput;
  readonly price: Price;
}

const LOCK_ID = 1;
const CHUNK = 1000;

const currency = fc.constantFrom<Currency>("BRL", "USD");
const rule = fc
  .record({
    percentPpm: fc.bigInt(0n, 100_000n),
    fixedMinor: fc.bigInt(0n, 500n),
    minMinor: fc.bigInt(0n, 300n),
    extraMinor: fc.option(fc.bigInt(0n, 50_000n)),
    surcharges: fc.array(fc.bigInt(0n, 300_000n), { minLength: 20, maxLength: 20 }),
  })
  .map(({ percentPpm, fixedMinor, minMinor, extraMinor, surcharges }): FeeRule => ({
    percentPpm,
    fixedMinor,
    minMinor,
    maxMinor: extraMinor === null ? null : minMinor + extraMinor,
    surchargePpm: [0n, ...surcharges],
  }));

/** A price as the service makes them, with what it was made of. */
export const pricedInput: fc.Arbitrary<{ input: PriceInput; price: Price }> = fc
  .record({
    amountMinor: fc.oneof(
      fc.bigInt(1n, 10_000n),
      fc.bigInt(1n, 100_000_000n),
      fc.bigInt(1n, 999_999_999_999n),
    ),
    currency,
    payoutCurrency: currency,
    method: fc.constantFrom("pix" as const, "card" as const, "ted" as const),
    count: fc.integer({ min: 1, max: 21 }),
    feeHandling: fc.constantFrom("absorb" as const, "pass_through" as const),
    rule,
    rateMicros: fc.bigInt(1_000_000n, 12_000_000n),
    iof: fc.record({ ppm: fc.bigInt(0n, 80_000n), enabled: fc.boolean() }),
  })
  .map(({ count, ...rest }) => {
    const isConverted = rest.currency === "USD" || rest.payoutCurrency === "USD";
    const input = {
      ...rest,
      installments: rest.method === "card" ? count : 1,
      rateMicros: isConverted ? rest.rateMicros : null,
    };
    return { input, price: computePrice(input) };
  })
  .filter(({ price }) => isNetPositive(price));

const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.constantFrom("=1+1", "+55 11", "-3", "@cmd", "a;b,c", 'say "hi"', "line\nbreak", "<script>x</script>"),
);
const key = fc.stringMatching(/^[a-z_]{1,12}$/).filter((name) => name !== "__proto__");
const value = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(text, { maxLength: 2 }));
// The database holds every character but this one.
const storable = (item: unknown): boolean =>
  !JSON.stringify(item).includes(String.raw`\u0000`) && JSON.stringify(item).isWellFormed();

/** Payments of every kind, created within the seconds from `from` to before `until`. */
function bulkPayment(from: Date, until: Date): fc.Arbitrary<BulkPayment> {
  const first = Math.floor(from.getTime() / 1000);
  const last = Math.floor(until.getTime() / 1000) - 1;
  return fc
    .record({
      status: fc.constantFrom("pending", "processing", "succeeded", "failed", "expired"),
      failureCode: fc.constantFrom("card_declined", "pix_rejected", "insufficient_funds"),
      linkId: fc.option(fc.constant("")),
      reference: fc.option(text.filter(storable)),
      metadata: fc.dictionary(key, value, { maxKeys: 4 }).filter(storable),
      second: fc.integer({ min: first, max: last }),
      later: fc.option(fc.integer({ min: 0, max: 86_400 })),
      priced: pricedInput,
    })
    .map(({ second, later, priced, status, failureCode, linkId, ...rest }) => ({
      ...rest,
      ...priced,
      id: newId("pay"),
      status,
      failureCode: status === "failed" ? failureCode : null,
      linkId: linkId === null ? null : newId("pl"),
      metadata: { ...rest.metadata },
      createdAt: new Date(second * 1000),
      updatedAt: later === null ? null : new Date((second + later) * 1000),
    }));
}

/** Random payments of the run's seed, unless another is given. */
export function randomPayments(
  count: number,
  from: Date,
  until: Date,
  seed = seedFor(`${count} payments ${from.toISOString()} ${until.toISOString()}`),
) {
  return fc.sample(bulkPayment(from, until), { numRuns: count, seed, path: "" });
}

const NOT_REFUNDED = { refunded_minor: 0, refund_reserved_minor: 0 };

/** Puts payments with their prices into an environment's tables. */
export async function insertPayments(
  rows: DatabaseRows,
  tenantId: string,
  payments: readonly BulkPayment[],
  mode: "test" | "live" = "test",
): Promise<void> {
  await rows.run(
    `INSERT INTO ${mode}.fx_rate_history VALUES ($1, ${LOCK_ID}, 'spt_x', 1, 0, 1, now(), now()) ON CONFLICT DO NOTHING`,
    [tenantId],
  );
  for (let start = 0; start < payments.length; start += CHUNK) {
    const chunk = payments.slice(start, start + CHUNK);
    const prices = chunk.map((payment) => priceColumns(payment));
    await rows.run(
      `INSERT INTO ${mode}.price SELECT (json_populate_record(NULL::${mode}.price, item)).*
        FROM json_array_elements($1::json) AS item`,
      [JSON.stringify(prices.map((price) => ({ tenant_id: tenantId, ...price })))],
    );
    await rows.run(
      `INSERT INTO ${mode}.payment SELECT (json_populate_record(NULL::${mode}.payment, item)).*
        FROM json_array_elements($1::json) AS item`,
      [
        JSON.stringify(
          chunk.map((payment) => ({ ...NOT_REFUNDED, tenant_id: tenantId, ...paymentColumns(payment) })),
        ),
      ],
    );
  }
}

function paymentColumns(payment: BulkPayment) {
  return {
    id: payment.id,
    link_id: payment.linkId,
    price_id: priceId(payment),
    method: payment.input.method,
    status: payment.status,
    failure_code: payment.failureCode,
    is_single: false,
    reference: payment.reference,
    metadata: payment.metadata,
    created_at: payment.createdAt.toISOString(),
    updated_at: payment.updatedAt?.toISOString() ?? null,
  };
}

function priceColumns(payment: BulkPayment) {
  const { input, price, createdAt } = payment;
  const amounts = Object.entries(price).filter(([name]) => name.endsWith("Minor"));
  const isConverted = input.rateMicros !== null;
  return {
    ...Object.fromEntries(amounts.map(([name, amount]) => [snake(name), String(amount)])),
    id: priceId(payment),
    amount_minor: String(input.amountMinor),
    currency: input.currency,
    method: input.method,
    installments: input.installments,
    fee_handling: input.feeHandling,
    rule_id: "rul_1",
    percent_ppm: String(input.rule.percentPpm),
    min_minor: String(input.rule.minMinor),
    max_minor: input.rule.maxMinor === null ? null : String(input.rule.maxMinor),
    surcharge_ppm: String(input.rule.surchargePpm[input.installments - 1]),
    iof_ppm: String(input.iof.ppm),
    fx_rate_history_id: isConverted ? LOCK_ID : null,
    rate_micros: isConverted ? String(input.rateMicros) : null,
    fx_locked_at: isConverted ? createdAt.toISOString() : null,
    fx_valid_until: isConverted ? new Date(createdAt.getTime() + 900_000).toISOString() : null,
    pricing_currency: pricingCurrency(input.currency, input.payoutCurrency),
    min_applied: price.minApplied,
    max_applied: price.maxApplied,
    iof_applicable: price.iofApplicable,
    iof_enabled: price.iofEnabled,
    payer_currency: "BRL",
    receiver_currency: input.payoutCurrency,
    created_at: createdAt.toISOString(),
  };
}

function priceId({ id }: BulkPayment): string {
  return id.replace("pay_", "prc_");
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
