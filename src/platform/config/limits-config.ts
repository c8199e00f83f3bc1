/** Quotas that prevent one caller from filling the shared storage. */
export interface Quotas {
  /** Number of open checkout sessions with which a link is full. */
  readonly openSessionsPerLink: number;
  /** Maximum number of pictures of one tenant in each mode, hidden ones too, and their total size. */
  readonly pictures: number;
  readonly pictureBytes: number;
  /** Maximum number of active API keys of one tenant in each mode, and as many more that were replaced and still work. */
  readonly apiKeys: number;
  /** Maximum number of members and open invitations of one tenant. */
  readonly users: number;
  /** Maximum number of accounts at providers of one tenant whose statements are read: active and retired ones. */
  readonly providerAccounts: number;
}

export const DEFAULT_QUOTAS: Quotas = {
  openSessionsPerLink: 100_000,
  pictures: 5000,
  pictureBytes: 2 * 1024 ** 3,
  apiKeys: 100,
  users: 1000,
  providerAccounts: 20,
};

/** Requests a second on average, and how many may come at once. */
interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** The rate limits of API requests in each gateway. An absent limit is not applied. */
interface RateLimits {
  /** Per API key. */
  readonly key: RateLimit | undefined;
  /** Per tenant and mode, for all its keys together. */
  readonly tenant: RateLimit | undefined;
}

export interface LimitsConfig {
  readonly quotas: Quotas;
  /** How many checkout sessions an address may open in a minute in one gateway, and how many payments it may start; 0: any number. */
  readonly sessionsPerAddress: number;
  /** Limits of requests to the API; none unless configured. */
  readonly rateLimits: RateLimits;
}

type Text = (name: string) => string | undefined;

const MEGABYTE = 1024 ** 2;
const COUNT_MAX = 999_999_999;
const RATE_MAX = 100_000;
const BURST_FACTOR = 2;

/** Reads the variables of quotas and rates. Throws the error of `fail`, which gets one line for the operator. */
export function readLimits(text: Text, fail: (problem: string) => Error): LimitsConfig {
  const count = (name: string, least: number, most = COUNT_MAX): number | undefined => {
    const given = text(name);
    if (given === undefined) return undefined;
    const number = Number(given);
    if (/^\d{1,9}$/.test(given) && number >= least && number <= most) return number;
    throw fail(`${name} must be a whole number, ${least} to ${most}.`);
  };
  const rate = (name: string): RateLimit | undefined => {
    const perSecond = count(`${name}_PER_SECOND`, 1, RATE_MAX);
    const burst = count(`${name}_BURST`, 1, RATE_MAX);
    if (perSecond !== undefined) return { perSecond, burst: burst ?? perSecond * BURST_FACTOR };
    if (burst === undefined) return undefined;
    throw fail(`${name}_BURST needs ${name}_PER_SECOND.`);
  };
  const { openSessionsPerLink, pictures, pictureBytes, apiKeys, users, providerAccounts } = DEFAULT_QUOTAS;
  return {
    quotas: {
      openSessionsPerLink: count("CHECKOUT_OPEN_SESSIONS", 1) ?? openSessionsPerLink,
      pictures: count("MEDIA_PICTURES", 1) ?? pictures,
      pictureBytes: (count("MEDIA_MEGABYTES", 1) ?? pictureBytes / MEGABYTE) * MEGABYTE,
      apiKeys: count("API_KEYS", 1) ?? apiKeys,
      users: count("TENANT_USERS", 1) ?? users,
      providerAccounts: count("PROVIDER_ACCOUNTS", 1) ?? providerAccounts,
    },
    // Mobile operators put thousands of payers behind one address.
    sessionsPerAddress: count("CHECKOUT_SESSIONS_PER_ADDRESS", 0) ?? 6000,
    rateLimits: { key: rate("RATE_LIMIT_KEY"), tenant: rate("RATE_LIMIT_TENANT") },
  };
}
