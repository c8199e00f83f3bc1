export type Currency = "BRL" | "USD";
export type PaymentMethod = "pix" | "ted" | "card";
/** Methods in the order in which scenarios are made. */
export const METHODS = ["pix", "ted", "card"] as const satisfies readonly PaymentMethod[];

export type FeeHandling = "absorb" | "pass_through";

/** What one method costs the merchant; the amounts are in the pricing currency's minor units. */
export interface FeeRule {
  percentPpm: bigint;
  fixedMinor: bigint;
  minMinor: bigint;
  /** `null`: no maximum. */
  maxMinor: bigint | null;
  /** Surcharge of n installments at index n - 1, none for a single one; pix and ted have that entry only. */
  surchargePpm: readonly bigint[];
}

/** The field at fault, spelled as in the API, and a sentence about it. */
export interface FeeRuleProblem {
  param: string;
  message: string;
}

const MAX_INSTALLMENTS = 21;
// With at least half of each cent left after percentages, a gross amount exists for every net.
const MAX_TOTAL_PPM = 500_000n;

/** What keeps a rule from being entered: its first problem, or undefined. */
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

/** The currency fees are computed in: USD when both the link and the payout are USD, else BRL. */
export function pricingCurrency(currency: Currency, payoutCurrency: Currency): Currency {
  return currency === "USD" && payoutCurrency === "USD" ? "USD" : "BRL";
}

/** Whether a rate is needed: the charge is always BRL, so as soon as either side is USD. */
export function needsConversion(currency: Currency, payoutCurrency: Currency): boolean {
  return currency === "USD" || payoutCurrency === "USD";
}
