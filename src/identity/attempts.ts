import type pg from "pg";
import { RateLimiterPostgres } from "rate-limiter-flexible";
import { PaylinkError } from "../platform/errors.ts";
import { hashToken } from "./token.ts";

const WINDOW_SECONDS = 15 * 60;
const OF_ONE_ACCOUNT_MAX = 10;
const OF_ONE_ADDRESS_MAX = 100;
const TABLE = "sign_in_attempt";

/** What a password is tried on, and from where. */
export interface Attempt {
  /** An e-mail address, whether or not somebody has it, or a user's id. */
  readonly account: string;
  /** Empty when unknown. */
  readonly address: string;
}

/** Counts wrong passwords, in the database, for all processes: of one account and from one network address. */
export class Attempts {
  readonly #pool: pg.Pool;
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
    this.#byAccount = limiter("account", OF_ONE_ACCOUNT_MAX);
    this.#byAddress = limiter("address", OF_ONE_ADDRESS_MAX);
  }

  /** Counts an attempt before it is made. Error: too_many_attempts. */
  async begin({ account, address }: Attempt): Promise<void> {
    if (address !== "") await consume(this.#byAddress, address);
    // A hash is short whatever somebody types, and tells nobody who tried to sign in.
    await consume(this.#byAccount, hashToken(account));
  }

  /** Takes back what was counted: the attempt was a good one. */
  async succeed({ account, address }: Attempt): Promise<void> {
    await this.#byAccount.delete(hashToken(account));
    if (address !== "") await this.#byAddress.reward(address, 1);
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

async function consume(limiter: RateLimiterPostgres, key: string): Promise<void> {
  try {
    await limiter.consume(key, 1);
  } catch (error) {
    if (error instanceof Error) throw error;
    throw new PaylinkError("too_many_attempts", "There were too many attempts: try again in 15 minutes.");
  }
}
