import type { Overrides } from "../platform/time/business-days.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import type { FxPolicyRow, FxSpotRow, PricingRuleRow } from "./entities.ts";
import { CURRENCIES, METHODS, type Currency, type FeeRule, type PaymentMethod } from "./fee-rule.ts";
import { publicRateMicros } from "./rate.ts";
import { ageSeconds, endOfUse } from "./rate-age.ts";
import { DEFAULT_TENANT, type PricingRecords } from "./repository.ts";

/** A public rate in force, with its inputs. */
export interface CurrentRate {
  readonly rateMicros: bigint;
  readonly spot: FxSpotRow;
  readonly policy: FxPolicyRow;
}

/** The rules, policies and rates in force for one tenant. */
export class PriceBook {
  readonly #rules = new Map<string, PricingRuleRow>();
  readonly #records: PricingRecords;
  readonly #overrides: Overrides;
  // From this instant on the newest spot rate is too old.
  readonly #rateEndsMs: number;

  constructor(records: PricingRecords, overrides: Overrides = new Map()) {
    this.#records = records;
    this.#overrides = overrides;
    this.#rateEndsMs = records.spot ? endOfUse(records.spot, overrides).getTime() : 0;
    // The newest rule comes last. A tenant's own rules come after all others, because they replace the default ones.
    const own = records.rules.filter(({ tenantId }) => tenantId !== DEFAULT_TENANT);
    for (const rule of [...records.rules, ...own]) this.#rules.set(`${rule.method} ${rule.currency}`, rule);
  }

  ruleFor(method: PaymentMethod, currency: Currency): PricingRuleRow | undefined {
    return this.#rules.get(`${method} ${currency}`);
  }

  /** Returns every rule in force: PIX, bank transfer, then card, BRL before USD. */
  rules(): PricingRuleRow[] {
    return METHODS.flatMap((method) =>
      CURRENCIES.flatMap((currency) => this.ruleFor(method, currency) ?? []),
    );
  }

  /** Returns the newest spot rate, however old. */
  get spot(): FxSpotRow | null {
    return this.#records.spot;
  }

  /** Returns the newest spot rate's age, counted as its maximum is; 0 if there is none. */
  rateAgeSeconds(now: Date): number {
    const { spot } = this;
    return spot ? ageSeconds(spot, now, this.#overrides) : 0;
  }

  /** Returns true if there is a spot rate, and the newest one is too old. */
  isRateTooOld(now: Date): boolean {
    return this.spot !== null && now.getTime() >= this.#rateEndsMs;
  }

  /** Returns the newest policy valid at `now`; the tenant's own takes precedence over the default one. */
  policyAt(now: Date): FxPolicyRow | undefined {
    const valid = this.#records.policies.filter((policy) => hasBegun(policy, now));
    return valid.findLast(({ tenantId }) => tenantId !== DEFAULT_TENANT) ?? valid.at(-1);
  }

  /** Returns the public rate at `now`, or undefined if there is no recent one or no policy for its margin. */
  rateAt(now: Date): CurrentRate | undefined {
    const { spot } = this.#records;
    const policy = this.policyAt(now);
    if (!spot || !policy) return undefined;
    // Times are whole seconds: a rate may end up to a second early, and never late.
    if (this.isRateTooOld(now)) return undefined;
    return { rateMicros: publicRateMicros(spot.spotMicros, policy.coveragePpm), spot, policy };
  }

  /** Like `rateAt`, but throws if there is none. Error: quote_fx_required. */
  requireRateAt(now: Date): CurrentRate {
    const rate = this.rateAt(now);
    if (!rate) {
      throw new PaylinkError(
        "quote_fx_required",
        "A conversion is needed and no current exchange rate exists: try again later with the same Idempotency-Key.",
      );
    }
    return rate;
  }
}

/**
 * Returns true if a policy is valid. One that was made without a time is so at once, also where the clock is behind that of
 * the process that made it.
 */
export function hasBegun(
  { validFrom, createdAt }: Pick<FxPolicyRow, "validFrom" | "createdAt">,
  now: Date,
): boolean {
  return validFrom <= now || validFrom.getTime() === createdAt.getTime();
}

/** Returns the part of the rule that the pricing algorithm uses. */
export function feeRuleOf(row: PricingRuleRow): FeeRule {
  return {
    percentPpm: row.percentPpm,
    fixedMinor: row.fixedMinor,
    minMinor: row.minMinor,
    maxMinor: row.maxMinor ?? null,
    surchargePpm: row.surchargePpm.map(BigInt),
  };
}
