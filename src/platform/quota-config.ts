/** Quotas that prevent one caller from filling the shared storage. */
export interface Quotas {
  /** Number of open checkout sessions with which a link is full; then networks with few get up to as many again. */
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

const MEGABYTE = 1024 ** 2;
const COUNT_MAX = 999_999_999;

/** Reads the variables of quotas. Throws the error of `fail`, which gets one line for the operator. */
export function readQuotaConfig(
  text: (name: string) => string | undefined,
  fail: (problem: string) => Error,
): { readonly quotas: Quotas; readonly sessionsPerAddress: number } {
  const count = (name: string, least: number, fallback: number): number => {
    const given = text(name);
    if (given === undefined) return fallback;
    if (!/^\d{1,9}$/.test(given) || Number(given) < least) {
      throw fail(`${name} must be a whole number, ${least} to ${COUNT_MAX}.`);
    }
    return Number(given);
  };
  const { openSessionsPerLink, pictures, pictureBytes, apiKeys, users, providerAccounts } = DEFAULT_QUOTAS;
  return {
    quotas: {
      openSessionsPerLink: count("CHECKOUT_OPEN_SESSIONS", 1, openSessionsPerLink),
      pictures: count("MEDIA_PICTURES", 1, pictures),
      pictureBytes: count("MEDIA_MEGABYTES", 1, pictureBytes / MEGABYTE) * MEGABYTE,
      apiKeys: count("API_KEYS", 1, apiKeys),
      users: count("TENANT_USERS", 1, users),
      providerAccounts: count("PROVIDER_ACCOUNTS", 1, providerAccounts),
    },
    // Mobile operators put thousands of payers behind one address.
    sessionsPerAddress: count("CHECKOUT_SESSIONS_PER_ADDRESS", 0, 6000),
  };
}
