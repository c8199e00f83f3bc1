import type { Refusal } from "../contract.ts";
import {
  feeCurrencyOf,
  isConverted,
  priceOf,
  publicRate,
  type Currency,
  type FeeHandling,
  type Method,
  type Price,
  type Rule,
} from "./price.ts";
import { currentSpot, type CallerName, type Fx, type World } from "./world.ts";
import type { Expected } from "./matching.ts";

const TOTAL_MAX = 999_999_999_999n;

export const NO_RATE: Refusal = { code: "quote_fx_required", param: null };
export const TOO_LARGE: Refusal = { code: "invalid_request", param: "amount" };
export const NET_NOT_POSITIVE: Refusal = { code: "merchant_net_not_positive", param: null };

export function unsupported(param: string): Refusal {
  return { code: "payment_method_unsupported", param };
}

/** What the answer of a new link says besides: no caller has an account in live mode. */
export function unpayable(world: World, caller: CallerName): { readonly [key: string]: Expected } {
  return world.terms[caller].mode === "live"
    ? { not_payable_reason: /^No payer can pay this link yet: / }
    : {};
}

/** A caller's rule for a method, priced in the currency of this amount. */
export function ruleOf(world: World, caller: CallerName, method: Method, currency: Currency): Rule {
  const { rules, payout } = world.terms[caller];
  const rule = rules[`${method} ${feeCurrencyOf(currency, payout)}`];
  if (!rule) throw new Error(`no rule for ${method}`);
  return rule;
}

export function installmentLimit(world: World, caller: CallerName, rule: Rule): number {
  return Math.min(world.terms[caller].installmentsMax, rule.surchargePpm.length);
}

/** The public rate of this moment, or null. */
export function currentRate(world: World, caller: CallerName): bigint | null {
  const spot = currentSpot(world, caller);
  return spot === null ? null : publicRate(spot, world.terms[caller].coveragePpm);
}

/** Returns true if an amount needs a rate and no rate is in force. */
export function lacksRate(world: World, caller: CallerName, currency: Currency): boolean {
  return isConverted(currency, world.terms[caller].payout) && currentRate(world, caller) === null;
}

/** The price of one payment option at this moment. */
export function priceNow(
  world: World,
  caller: CallerName,
  wanted: { readonly amount: bigint; readonly currency: Currency },
  option: {
    readonly method: Method;
    readonly installments: number;
    readonly feeHandling: FeeHandling | undefined;
  },
): Price {
  const { payout, iof } = world.terms[caller];
  const { amount, currency } = wanted;
  const rule = ruleOf(world, caller, option.method, currency);
  return priceOf({
    amount,
    currency,
    payout,
    ...option,
    feeHandling: option.feeHandling ?? rule.defaultFeeHandling,
    rule,
    iof,
    rateMicros: isConverted(currency, payout) ? currentRate(world, caller) : null,
  });
}

/** Why a price cannot be offered: one of these, if any. */
export function refusalsOf({ payerTotal, receiverNet }: Price): Refusal[] {
  return [
    ...(payerTotal > TOTAL_MAX || receiverNet > BigInt(Number.MAX_SAFE_INTEGER) ? [TOO_LARGE] : []),
    ...(receiverNet <= 0n ? [NET_NOT_POSITIVE] : []),
  ];
}

export function totalFee({ fee, surcharge, iofAmount }: Price): bigint {
  return fee + surcharge + iofAmount;
}

/** The lock that a price made now shows, with the number that it is answered with. */
export function lockNow(world: World, { rateMicros }: Price, seconds: number, id: unknown): Fx | undefined {
  if (rateMicros === null) return undefined;
  return { rateMicros, lockedAt: world.now, validUntil: world.now + seconds, id: Number(id) };
}

/** `fx` as an answer must show it; without a number, any number will do. */
export function fxBody({ rateMicros, lockedAt, validUntil, id }: Omit<Fx, "id"> & { id?: number }): Expected {
  return {
    rate: Number(rateMicros) / 1e6,
    base: "USD",
    quote: "BRL",
    locked_at: lockedAt,
    valid_until: validUntil,
    rate_history_id: id ?? Number.isSafeInteger,
  };
}

/** The lock of a rate among all identifiers; each mode has numbers of its own. */
export function lockName(world: World, caller: CallerName, id: unknown): string {
  return `lock ${world.terms[caller].mode} ${String(id)}`;
}
