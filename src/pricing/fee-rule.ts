import {
  type FeeHandling as HandlingEnum,
  type PaymentMethod as MethodEnum,
} from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { type WordOf } from "../../contract/enum-words.ts";
export type Currency = "BRL" | "USD";
export const CURRENCIES = ["BRL", "USD"] as const satisfies readonly Currency[];
export type PaymentMethod = WordOf<typeof MethodEnum>;
/** The methods in the order of a quote's scenarios. */
export const METHODS = ["pix", "ted", "card"] as const satisfies readonly PaymentMethod[];

export type FeeHandling = WordOf<typeof HandlingEnum>;

/** The fees of one method for the merchant. Amounts are in the pricing currency's minor units. */
export interface FeeRule {
  percentPpm: bigint;
  fixedMinor: bigint;
  minMinor: bigint;
  /** `null`: no maximum. */
  maxMinor: bigint | null;
  /** The surcharge of n installments, at index n - 1. It is 0 for one installment; pix and ted have only this entry. */
  surchargePpm: readonly bigint[];
}

/** The invalid field in the API's spelling, and a sentence about it. */
export interface FeeRuleProblem {
  param: string;
  message: string;
}

const MAX_INSTALLMENTS = 21;
// If at least half of each cent remains after percentages, a gross amount exists for every net.
const MAX_TOTAL_PPM = 500_000n;

/** Returns the rule's first problem, or undefined if the rule is valid. */
export function feeRuleProblem(method: PaymentMethod, rule: FeeRule): FeeRuleProblem | undefined {
  return amountProblem(rule) ?? surchargeProblem(method, rule);
}

function amountProblem({ percentPpm, fixedMinor, minMinor, maxMinor }: FeeRule): FeeRuleProblem | undefined {
  if (percentPpm < 0n) return problem("percent_ppm", "must not be negative");
  if (percentPpm > MAX_TOTAL_PPM) return problem("percent_ppm", `must be at most ${MAX_TOTAL_PPM}`);
  if (fixedMinor < 0n) return problem("fixed", "must not be negative");
  if (minMinor < 0n) return problem("min", "must not be negative");
  if (maxMinor !== null && maxMinor < 0n) return problem("max", "must not be negative");
  if (maxMinor !== null && maxMinor < minMinor) {
    return problem("max", "must not be less than min");
  }
  return undefined;
}

function surchargeProblem(method: PaymentMethod, rule: FeeRule): FeeRuleProblem | undefined {
  const { percentPpm, surchargePpm } = rule;
  const limit = method === "card" ? MAX_INSTALLMENTS : 1;
  if (surchargePpm.length < 1 || surchargePpm.length > limit) {
    const count = limit === 1 ? "exactly 1 entry" : `1 to ${limit} entries`;
    return problem("surcharge_ppm", `must have ${count} for ${method}`);
  }
  if (surchargePpm[0] !== 0n) return problem("surcharge_ppm", "must be 0 for 1 installment");
  for (const [index, ppm] of surchargePpm.entries()) {
    if (ppm < 0n) return problem("surcharge_ppm", `must not be negative, for ${index + 1} installments`);
    if (percentPpm + ppm > MAX_TOTAL_PPM) {
      const message = `must be at most ${MAX_TOTAL_PPM} together with percent_ppm, for ${index + 1} installments`;
      return problem("surcharge_ppm", message);
    }
  }
  return undefined;
}

function problem(param: string, message: string): FeeRuleProblem {
  return { param, message };
}

/** Returns the currency of the fees: USD if both the link and the payout are USD, else BRL. */
export function pricingCurrency(currency: Currency, payoutCurrency: Currency): Currency {
  return currency === "USD" && payoutCurrency === "USD" ? "USD" : "BRL";
}

/** Returns true if a rate is needed: if either side is USD, because the charge is always BRL. */
export function needsConversion(currency: Currency, payoutCurrency: Currency): boolean {
  return currency === "USD" || payoutCurrency === "USD";
}
