import { insert, insertAll, type Change } from "../platform/write/change.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { newId } from "../../contract/ids.ts";
import { FxRateHistory, PriceRow, type FxRateHistoryRow, type PriceValues } from "./entities.ts";
import {
  needsConversion,
  pricingCurrency,
  type Currency,
  type FeeHandling,
  type PaymentMethod,
} from "./fee-rule.ts";
import { feeRuleOf, type CurrentRate, type PriceBook } from "./price-book.ts";
import { computePrice, isNetPositive, type Price, type PriceInput } from "./price.ts";

/** Maximum of one payment, in centavos: a BR Code has room for 13 characters, a card's message for 12 digits. */
export const PAYER_TOTAL_MAX_MINOR = 999_999_999_999n;

// The largest integer that JSON's readers keep exact. A net is larger only at a rate far below any real one.
const NET_MAX_MINOR = BigInt(Number.MAX_SAFE_INTEGER);

/** The amount to price, in `currency`'s smallest unit. */
export interface Wanted {
  readonly amountMinor: bigint;
  readonly currency: Currency;
  readonly payoutCurrency: Currency;
}

/** A method with its number of installments. Without `feeHandling`, the rule's default applies. */
export interface PaymentOption {
  readonly method: PaymentMethod;
  readonly installments: number;
  readonly feeHandling: FeeHandling | undefined;
}

/** A rate locked for some time: the row that stores it. */
export type FxLock = FxRateHistoryRow;

/** Locks a rate under the number `id`. */
export function lockRate(
  tenantId: string,
  id: bigint,
  { rateMicros, spot, policy }: CurrentRate,
  lockedAt: Date,
  seconds: number,
): { lock: FxLock; change: Change } {
  const { spotMicros, id: spotId } = spot;
  const { coveragePpm } = policy;
  const validUntil = secondsAfter(lockedAt, seconds);
  const lock = { tenantId, id, spotId, spotMicros, coveragePpm, rateMicros, lockedAt, validUntil };
  return { lock, change: insert(FxRateHistory, lock) };
}

/**
 * Prices one payment option without storing it. `rateMicros` is required if something is converted. Errors:
 * payment_method_unsupported (no rule), invalid_request on amount (above the maximum), merchant_net_not_positive.
 */
export function priceOf(
  book: PriceBook,
  wanted: Wanted,
  option: PaymentOption,
  rateMicros: bigint | null,
  now: Date,
): { input: PriceInput; price: Price; ruleId: string } {
  const { currency, payoutCurrency } = wanted;
  const rule = book.ruleFor(option.method, pricingCurrency(currency, payoutCurrency));
  if (!rule || option.installments > rule.surchargePpm.length) throw methodUnsupported(option.method);
  const policy = book.policyAt(now);
  const input = {
    ...wanted,
    ...option,
    feeHandling: option.feeHandling ?? rule.defaultFeeHandling,
    rule: feeRuleOf(rule),
    rateMicros: needsConversion(currency, payoutCurrency) ? rateMicros : null,
    iof: { ppm: policy?.iofPpm ?? 0n, enabled: policy?.iofEnabled ?? false },
  };
  return { input, price: chargeable(input, computePrice(input)), ruleId: rule.id };
}

/**
 * Returns the row of a price for one payment option. `lock` is required if something is converted. Errors: those of
 * `priceOf`.
 */
export function priceRow(
  tenantId: string,
  book: PriceBook,
  wanted: Wanted,
  option: PaymentOption,
  lock: FxLock | null,
  now: Date,
): PriceValues {
  const { input, price, ruleId } = priceOf(book, wanted, option, lock?.rateMicros ?? null, now);
  return rowOf(tenantId, input, price, ruleId, lock, now);
}

/**
 * Returns the same price at another rate. All other inputs come from the row, not from the rules now in force. Error:
 * merchant_net_not_positive.
 */
export function priceRowAt(row: PriceValues, lock: FxLock, now: Date): PriceValues {
  const surchargePpm = Array.from({ length: row.installments }, () => row.surchargePpm);
  const { percentPpm, fixedMinor, minMinor } = row;
  const input = {
    amountMinor: row.amountMinor,
    currency: row.currency,
    payoutCurrency: row.receiverCurrency,
    method: row.method,
    installments: row.installments,
    feeHandling: row.feeHandling,
    rule: {
      percentPpm,
      fixedMinor,
      minMinor,
      maxMinor: row.maxMinor ?? null,
      surchargePpm,
    },
    rateMicros: lock.rateMicros,
    iof: {
      ppm: row.iofPpm,
      enabled: row.iofEnabled,
    },
  };
  return rowOf(row.tenantId, input, positive(input, computePrice(input)), row.ruleId, lock, now);
}

function rowOf(
  tenantId: string,
  input: PriceInput,
  price: Price,
  ruleId: string,
  lock: FxLock | null,
  now: Date,
): PriceValues {
  const { amountMinor, currency, payoutCurrency, method, installments, feeHandling, rule, iof } = input;
  const used = needsConversion(currency, payoutCurrency) ? lock : null;
  return {
    ...price,
    tenantId,
    id: newId("prc"),
    ruleId,
    createdAt: now,
    amountMinor,
    currency,
    method,
    installments,
    feeHandling,
    percentPpm: rule.percentPpm,
    minMinor: rule.minMinor,
    maxMinor: rule.maxMinor,
    surchargePpm: rule.surchargePpm[installments - 1] ?? 0n,
    iofPpm: iof.ppm,
    fxRateHistoryId: used?.id ?? null,
    rateMicros: used?.rateMicros ?? null,
    fxLockedAt: used?.lockedAt ?? null,
    fxValidUntil: used?.validUntil ?? null,
  };
}

/**
 * Returns the price if it can be charged and paid out. Errors: invalid_request on amount, merchant_net_not_positive.
 */
function chargeable(input: PriceInput, price: Price): Price {
  const refusal = chargeRefusal(input, price);
  if (refusal) throw refusal;
  return positive(input, price);
}

/**
 * Returns the reason why a price cannot be charged, or undefined if it can. The reason is invalid_request on amount.
 */
export function chargeRefusal(
  { method, installments }: { readonly method: PaymentMethod; readonly installments: number },
  { payerTotalMinor, receiverNetMinor }: Pick<Price, "payerTotalMinor" | "receiverNetMinor">,
): PaylinkError | undefined {
  if (payerTotalMinor <= PAYER_TOTAL_MAX_MINOR && receiverNetMinor <= NET_MAX_MINOR) return undefined;
  return new TotalTooLarge(method, installments);
}

/** Returns true if the error says that the payer's total is above the maximum. */
export function isTotalRefused(error: unknown): boolean {
  return error instanceof TotalTooLarge;
}

/** A price above the maximum of a payment. */
class TotalTooLarge extends PaylinkError {
  constructor(method: PaymentMethod, installments: number) {
    const option = installments > 1 ? `${method} in ${installments} installments` : method;
    // The total would reveal the rate or the fee, which only quotes show.
    const message = `amount is too large: by ${option} the payer's total would be over 9999999999.99 BRL, the most that can be charged.`;
    super("invalid_request", message, "amount");
  }
}

function positive({ feeHandling }: PriceInput, price: Price): Price {
  if (isNetPositive(price)) return price;
  const remedy = feeHandling === "absorb" ? "pass_through or a larger amount" : "a larger amount";
  const message = `The merchant's net after fees would not be positive: use ${remedy}.`;
  throw new PaylinkError("merchant_net_not_positive", message);
}

export function insertPrice(price: PriceValues): Change {
  return insert(PriceRow, price);
}

/** Like `insertPrice`, for any number of prices in one query. */
export function insertPrices(prices: readonly PriceValues[]): Change {
  return insertAll(PriceRow, prices);
}

/** Returns the error of a method that is not offered. It names those that are, where the caller knows them. */
export function methodUnsupported(
  method: PaymentMethod,
  offered: readonly string[] = [],
  param = "payment_method",
): PaylinkError {
  const others = offered.filter((other) => other !== method);
  const next = others.length > 0 ? `use ${others.join(" or ")}` : "use another";
  const message = `${method} is not offered here: ${next}, or ask the operator for ${method}.`;
  return new PaylinkError("payment_method_unsupported", message, param);
}

/** Returns the message of a number of installments above the offered one. */
export function mostText(param: string, limit: number): string {
  return `${param} must be at most ${limit}, the most that is offered.`;
}

/** Returns the error of a method that no pricing rule prices: it names the missing rule, and how the operator adds it. */
export function ruleMissing(
  method: PaymentMethod,
  { currency, payoutCurrency }: Pick<Wanted, "currency" | "payoutCurrency">,
  param = "payment_method",
): PaylinkError {
  const fees = pricingCurrency(currency, payoutCurrency);
  const message =
    `${method} is not offered here: there is no pricing rule for ${method} with fees in ${fees}, which prices ` +
    `${currency} paid out in ${payoutCurrency}. The operator adds it with "paylink rules init" or "paylink rules put".`;
  return new PaylinkError("payment_method_unsupported", message, param);
}
