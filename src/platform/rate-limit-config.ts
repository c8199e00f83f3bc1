/** A token bucket: its refill per second, and its capacity. */
interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** The rate limits of API requests in each gateway. An absent limit is not applied. */
export interface RateLimits {
  /** Per API key. */
  readonly key: RateLimit | undefined;
  /** Per tenant and mode, for all its keys together. */
  readonly tenant: RateLimit | undefined;
  /** For requests with wrong API keys, per client address. */
  readonly wrongKeys: RateLimit | undefined;
}

type Text = (name: string) => string | undefined;

const RATE_MAX = 100_000;
const BURST_FACTOR = 2;

/** Reads the variables of the limits. Throws the error of `fail`, which gets one line for the operator. */
export function readRateLimits(text: Text, fail: (problem: string) => Error): RateLimits {
  const count = (name: string): number | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    const number = Number(value);
    if (/^\d{1,6}$/.test(value) && number >= 1 && number <= RATE_MAX) return number;
    throw fail(`${name} must be a whole number, 1 to ${RATE_MAX}.`);
  };
  const limit = (name: string): RateLimit | undefined => {
    const perSecond = count(`${name}_PER_SECOND`);
    const burst = count(`${name}_BURST`);
    if (perSecond !== undefined) return { perSecond, burst: burst ?? perSecond * BURST_FACTOR };
    if (burst === undefined) return undefined;
    throw fail(`${name}_BURST needs ${name}_PER_SECOND.`);
  };
  return {
    key: limit("RATE_LIMIT_KEY"),
    tenant: limit("RATE_LIMIT_TENANT"),
    wrongKeys: limit("RATE_LIMIT_WRONG_KEYS"),
  };
}
