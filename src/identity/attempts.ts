import ipaddr from "ipaddr.js";
import type pg from "pg";
import { RateLimiterPostgres } from "rate-limiter-flexible";
import { PaylinkError } from "../platform/errors.ts";
import { hashToken } from "./token.ts";

const WINDOW_SECONDS = 15 * 60;
// Of one account from one address; a stranger elsewhere must not lock somebody out as cheaply.
const OF_ONE_PAIR_MAX = 10;
const OF_ONE_ACCOUNT_MAX = 60;
const OF_ONE_ADDRESS_MAX = 100;
const IPV6_NETWORK_BYTES = 8;
const TABLE = "sign_in_attempt";

/** What a password is tried on, and from where. */
export interface Attempt {
  /** An e-mail address, whether or not somebody has it, or a user's id. */
  readonly account: string;
  /** Empty when unknown. */
  readonly address: string;
}

/** Counts wrong passwords, in the database, for all processes: of one account, from one network, and of both together. */
export class Attempts {
  readonly #pool: pg.Pool;
  readonly #byPair: RateLimiterPostgres;
  readonly #byAccount: RateLimiterPostgres;
  readonly #byAddress: RateLimiterPostgres;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    const limiter = (keyPrefix: string, points: number): RateLimiterPostgres =>
      new RateLimiterPostgres({
        storeClient: pool,
        storeType: "pool",
        schemaName: "identity",
        tableName: TABLE,
        tableCreated: true,
        clearExpiredByTimeout: false,
        keyPrefix,
        points,
        duration: WINDOW_SECONDS,
      });
    this.#byPair = limiter("pair", OF_ONE_PAIR_MAX);
    this.#byAccount = limiter("account", OF_ONE_ACCOUNT_MAX);
    this.#byAddress = limiter("address", OF_ONE_ADDRESS_MAX);
  }

  /** Counts an attempt before it is made. Error: too_many_attempts. */
  async begin({ account, address }: Attempt): Promise<void> {
    const network = networkOf(address);
    if (network !== "") await consume(this.#byAddress, network);
    // A hash is short whatever somebody types, and tells nobody who tried to sign in.
    await consume(this.#byPair, hashToken(`${network} ${account}`));
    await consume(this.#byAccount, hashToken(account));
  }

  /** Takes back what was counted: the attempt was a good one. */
  async succeed({ account, address }: Attempt): Promise<void> {
    const network = networkOf(address);
    await this.#byPair.delete(hashToken(`${network} ${account}`));
    await this.#byAccount.delete(hashToken(account));
    if (network !== "") await this.#byAddress.reward(network, 1);
  }

  /** Forgets counts whose time is over. */
  async removePast(): Promise<void> {
    await this.#pool.query({
      name: "remove past sign-in attempts",
      text: `DELETE FROM ${TABLE} WHERE expire < $1`,
      // The library's clock is the machine's.
      values: [Date.now()],
    });
  }
}

/** What one subscriber holds: an IPv4 address, or the /64 of an IPv6 one. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${parsed.toByteArray().slice(0, IPV6_NETWORK_BYTES).join(".")}/64`;
}

async function consume(limiter: RateLimiterPostgres, key: string): Promise<void> {
  try {
    await limiter.consume(key, 1);
  } catch (error) {
    if (error instanceof Error) throw error;
    throw new PaylinkError("too_many_attempts", "There were too many attempts: try again in 15 minutes.");
  }
}
