import type { Currency, FeeHandling, FeeRule, PaymentMethod } from "./fee-rule.ts";
import { needsConversion, pricingCurrency } from "./fee-rule.ts";
import { MICROS } from "./rate.ts";
import { ceilDiv, floorDiv, PPM, shareOf } from "./rounding.ts";

/** The inputs of one price. Amounts are not negative, and the rule has passed `feeRuleProblem`. */
export interface PriceInput {
  amountMinor: bigint;
  currency: Currency;
  payoutCurrency: Currency;
  method: PaymentMethod;
  installments: number;
  feeHandling: FeeHandling;
  rule: FeeRule;
  /** The public rate, BRL per USD; `null` if nothing is converted. */
  rateMicros: bigint | null;
  iof: { ppm: bigint; enabled: boolean };
}

/** A price with all its parts. Parts without their own currency are in `pricingCurrency`. */
export interface Price {
  pricingCurrency: Currency;
  /** The merchant's amount, in `pricingCurrency`. */
  baseMinor: bigint;
  /** Always the sum of net, service fee, installment surcharge and IOF. */
  grossMinor: bigint;
  netMinor: bigint;
  percentAmountMinor: bigint;
  fixedMinor: bigint;
  /** The service fee before its minimum and maximum. */
  rawTotalMinor: bigint;
  serviceFeeMinor: bigint;
  minApplied: boolean;
  maxApplied: boolean;
  installmentSurchargeMinor: bigint;
  iofAmountMinor: bigint;
  iofApplicable: boolean;
  iofEnabled: boolean;
  totalFeeMinor: bigint;
  payerTotalMinor: bigint;
  payerCurrency: "BRL";
  receiverNetMinor: bigint;
  receiverCurrency: Currency;
  /** The first installment is the payer's total minus the others, which are equal. */
  firstInstallmentMinor: bigint;
  otherInstallmentMinor: bigint;
}

const MAX_GROSS_STEPS = 6;

/**
 * Prices one amount by one method and installment count. The net may be zero or negative, see `isNetPositive`. Throws
 * Error, a fault of the caller, without a needed rate or without a surcharge for the installment count.
 */
export function computePrice(input: PriceInput): Price {
  const { amountMinor, currency, payoutCurrency, installments, rule, iof } = input;
  const surchargePpm = surchargeFor(input);
  const rateMicros = rateFor(input);
  const feeCurrency = pricingCurrency(currency, payoutCurrency);
  const passThrough = input.feeHandling === "pass_through";
  const iofApplicable = payoutCurrency === "USD";
  const iofPpm = iofApplicable && iof.enabled ? iof.ppm : 0n;

  const baseMinor = currency === feeCurrency ? amountMinor : toBrl(amountMinor, rateMicros);
  const grossMinor = passThrough
    ? smallestGross(rule, surchargePpm, baseMinor + ceilDiv(baseMinor * iofPpm, PPM))
    : baseMinor;
  const percentAmountMinor = shareOf(grossMinor, rule.percentPpm);
  const rawTotalMinor = percentAmountMinor + rule.fixedMinor;
  const serviceFeeMinor = clampFee(rule, rawTotalMinor);
  const installmentSurchargeMinor = shareOf(grossMinor, surchargePpm);
  const afterFeesMinor = grossMinor - serviceFeeMinor - installmentSurchargeMinor;
  const netMinor = passThrough ? baseMinor : withoutIof(afterFeesMinor, iofPpm);
  const payerTotalMinor = feeCurrency === "BRL" ? grossMinor : toBrl(grossMinor, rateMicros);
  const otherInstallmentMinor = payerTotalMinor / BigInt(installments);

  return {
    pricingCurrency: feeCurrency,
    baseMinor,
    grossMinor,
    netMinor,
    percentAmountMinor,
    fixedMinor: rule.fixedMinor,
    rawTotalMinor,
    serviceFeeMinor,
    minApplied: rawTotalMinor < rule.minMinor,
    maxApplied: rule.maxMinor !== null && rawTotalMinor > rule.maxMinor,
    installmentSurchargeMinor,
    iofAmountMinor: afterFeesMinor - netMinor,
    iofApplicable,
    iofEnabled: iof.enabled,
    totalFeeMinor: grossMinor - netMinor,
    payerTotalMinor,
    payerCurrency: "BRL",
    receiverNetMinor: payoutCurrency === feeCurrency ? netMinor : floorDiv(netMinor * MICROS, rateMicros),
    receiverCurrency: payoutCurrency,
    firstInstallmentMinor: payerTotalMinor - otherInstallmentMinor * BigInt(installments - 1),
    otherInstallmentMinor,
  };
}

/** Returns true if the merchant receives at least one minor unit of the payout currency. */
export function isNetPositive(price: Price): boolean {
  return price.receiverNetMinor > 0n;
}

function surchargeFor({ rule, method, installments }: PriceInput): bigint {
  const surchargePpm = rule.surchargePpm[installments - 1];
  if (surchargePpm === undefined)
    throw new Error(`no surcharge for ${method} in ${installments} installments`);
  return surchargePpm;
}

function rateFor({ currency, payoutCurrency, rateMicros }: PriceInput): bigint {
  if (!needsConversion(currency, payoutCurrency)) return MICROS;
  if (rateMicros === null) throw new Error(`no rate for ${currency} paid out in ${payoutCurrency}`);
  return rateMicros;
}

function toBrl(usdMinor: bigint, rateMicros: bigint): bigint {
  return ceilDiv(usdMinor * rateMicros, MICROS);
}

function clampFee({ minMinor, maxMinor }: FeeRule, rawMinor: bigint): bigint {
  const atLeastMinor = rawMinor < minMinor ? minMinor : rawMinor;
  return maxMinor !== null && atLeastMinor > maxMinor ? maxMinor : atLeastMinor;
}

function withoutIof(amountMinor: bigint, iofPpm: bigint): bigint {
  return iofPpm === 0n ? amountMinor : floorDiv(amountMinor * PPM, PPM + iofPpm);
}

/**
 * Returns the smallest gross that leaves exactly `afterFeesMinor`. Rounding keeps it within two cents of the fractional
 * solution. One more cent of gross leaves at most one more cent, so adding the missing amount never exceeds it.
 */
function smallestGross(rule: FeeRule, surchargePpm: bigint, afterFeesMinor: bigint): bigint {
  let grossMinor = startOfGross(rule, surchargePpm, afterFeesMinor);
  for (let step = 0; step <= MAX_GROSS_STEPS; step++) {
    const feeMinor = clampFee(rule, shareOf(grossMinor, rule.percentPpm) + rule.fixedMinor);
    const missingMinor = afterFeesMinor - (grossMinor - feeMinor - shareOf(grossMinor, surchargePpm));
    if (missingMinor === 0n) return grossMinor;
    if (missingMinor < 0n) break;
    grossMinor += missingMinor;
  }
  throw new Error(`no gross amount leaves ${afterFeesMinor} after fees`);
}

function startOfGross(rule: FeeRule, surchargePpm: bigint, afterFeesMinor: bigint): bigint {
  const { percentPpm, fixedMinor, minMinor, maxMinor } = rule;
  const keptPpm = PPM - surchargePpm;
  let startMinor = ceilDiv((afterFeesMinor + fixedMinor) * PPM, keptPpm - percentPpm);
  const atMinMinor = ceilDiv((afterFeesMinor + minMinor) * PPM, keptPpm);
  if (atMinMinor > startMinor) startMinor = atMinMinor;
  if (maxMinor !== null) {
    const atMaxMinor = ceilDiv((afterFeesMinor + maxMinor) * PPM, keptPpm);
    if (atMaxMinor < startMinor) startMinor = atMaxMinor;
  }
  return startMinor > 2n ? startMinor - 2n : 0n;
}
