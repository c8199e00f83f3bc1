import type pg from "pg";
import type { Change } from "../platform/write/change.ts";
import type { Clock } from "../platform/time/clock.ts";
import { withAdvisoryLock } from "../platform/write/advisory-lock.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { inTransaction } from "../platform/db/transaction.ts";
import { neighbourhoodOf, networkOf } from "../../contract/network.ts";
import { countKey, lockedCounts, TABLE, takeBack, writeFailures, type Count } from "./attempt-counts.ts";
import { attemptSemaphore, knownAt, strangerAt, type AttemptOwner } from "./attempt-owner.ts";
import { hashToken } from "./token.ts";

const NEWCOMER_FAILURES = 3;

/** The account, network address and browser of an attempt. */
export interface Attempt {
  /** An e-mail address, with or without an account. */
  readonly account: string;
  /** Empty if unknown. */
  readonly address: string;
  /** The hash of the browser's token, if an account with this address knows the browser. */
  readonly browser: string | undefined;
}

/** An admitted attempt. It counts as failed unless `succeed` takes it back. */
export interface Turn {
  /** True: only the known browser may try now; all others must wait. */
  readonly isOfBrowser: boolean;
  /** The recorded failures on this account, including this one. */
  readonly failures: number;
  readonly keys: readonly string[];
}

/**
 * Counts wrong passwords in the database, for all processes, and delays the next attempt by refusing earlier ones. It
 * never waits itself.
 */
export class SignInLimiter {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  // Attempts with a common count wait for each other in the database. Each would hold one of the few connections that all
  // payers' pages and API requests need too.
  readonly #counts = attemptSemaphore();

  constructor(pool: pg.Pool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
  }

  /**
   * Counts a sign-in attempt before it is made. An attempt that is too early is not counted. Error: too_many_attempts.
   */
  async begin({ account, address, browser }: Attempt): Promise<Turn> {
    const network = networkOf(address);
    // A hash is short for any input, and does not reveal who tried to sign in.
    const pair = countKey("pair", hashToken(`${network} ${account}`));
    const returning = countKey("returning", hashToken(account));
    const newcomer = countKey("newcomer", hashToken(account));
    const ofNetwork =
      network === ""
        ? []
        : [countKey("network", network), countKey("neighbourhood", neighbourhoodOf(address))];
    const ofBrowser = browser === undefined ? [] : [countKey("browser", hashToken(`${browser} ${account}`))];
    const owner = browser === undefined ? strangerAt(address) : knownAt(address);
    return await this.#take(owner, [pair, returning, newcomer, ...ofNetwork, ...ofBrowser], (counts) => {
      const find = (key: string): Count[] => counts.filter((count) => count.key === key);
      const isNew = find(pair).every(({ failures }) => failures < NEWCOMER_FAILURES);
      const onAccount = find(isNew ? newcomer : returning);
      const ofAll = [...onAccount, ...find(pair), ...ofNetwork.flatMap(find)];
      return [ofAll, ...ofBrowser.map(find)];
    });
  }

  /** The same for a signed-in user's own password. Error: too_many_attempts. */
  async beginOwn(userId: string, owner: AttemptOwner): Promise<Turn> {
    return await this.#take(owner, [countKey("own", userId)], (counts) => [counts]);
  }

  /** The same for a link to a new password that is asked for. It is never taken back. Error: too_many_attempts. */
  async beginRequest({ account, address }: Omit<Attempt, "browser">): Promise<void> {
    const network = networkOf(address);
    const keys = [
      countKey("resetOf", hashToken(account)),
      ...(network === "" ? [] : [countKey("resetFrom", network)]),
    ];
    await this.#take(strangerAt(address), keys, (counts) => [counts]);
  }

  /** The same for the code of a user with such a link. Error: too_many_attempts. */
  async beginReset(userId: string, address: string): Promise<Turn> {
    return await this.#take(strangerAt(address), [countKey("reset", userId)], (counts) => [counts]);
  }

  /**
   * Returns the change that counts a link which a tenant sends by e-mail. It is never taken back, also if the link ends.
   * Tenants have counts of their own: none learns of another's links, or uses up what another may send. Error at the
   * commit: too_many_emails.
   */
  countLinkMail(tenantId: string, email: string): Change {
    const keys = [countKey("linkTo", hashToken(`${tenantId} ${email}`)), countKey("linkFrom", tenantId)];
    return withAdvisoryLock(`links by e-mail of ${tenantId}`, async (client) => {
      const taken = await this.#takeIn(client, keys, (counts) => [counts]);
      if (typeof taken !== "number") return;
      const message = `Many links were sent by e-mail to this address, or by this tenant: try again in ${taken} seconds.`;
      throw new PaylinkError("too_many_emails", message, null, { retryAfterSeconds: taken });
    });
  }

  /** Takes back the counted attempt. Other failures and their waits stay. */
  async succeed({ keys }: Turn): Promise<void> {
    await takeBack(this.#pool, keys);
  }

  /** Removes expired counts. */
  async removePast(): Promise<void> {
    await this.#pool.query({
      name: "remove past sign-in attempts",
      text: `DELETE FROM ${TABLE} WHERE expire < $1`,
      values: [this.#clock.nowMs()],
    });
  }

  /** Counts the attempt by the first choice of counts that has no wait left. Writes nothing if there is none. */
  async #take(
    owner: AttemptOwner,
    keys: readonly string[],
    choicesOf: (counts: readonly Count[]) => readonly (readonly Count[])[],
  ): Promise<Turn> {
    const taken = await this.#counts.run(owner, () =>
      inTransaction(this.#pool, (client) => this.#takeIn(client, keys, choicesOf)),
    );
    if (typeof taken !== "number") return taken;
    const message = `There were too many attempts: try again in ${taken} seconds.`;
    throw new PaylinkError("too_many_attempts", message, null, { retryAfterSeconds: taken });
  }

  /** The same in a transaction. Returns the seconds to wait if no choice is without a wait. */
  async #takeIn(
    client: pg.PoolClient,
    keys: readonly string[],
    choicesOf: (counts: readonly Count[]) => readonly (readonly Count[])[],
  ): Promise<Turn | number> {
    const nowMs = this.#clock.nowMs();
    const choices = choicesOf(await lockedCounts(client, keys, nowMs));
    const index = choices.findIndex((choice) => choice.every(({ allowedAtMs }) => allowedAtMs <= nowMs));
    const choice = choices[index];
    if (!choice) return secondsLeft(choices, nowMs);
    await writeFailures(client, choice, nowMs);
    return {
      isOfBrowser: index > 0,
      failures: (choice[0]?.failures ?? 0) + 1,
      keys: choice.map(({ key }) => key),
    };
  }
}

function secondsLeft(choices: readonly (readonly Count[])[], nowMs: number): number {
  const waits = choices.map((choice) => Math.max(...choice.map(({ allowedAtMs }) => allowedAtMs)) - nowMs);
  return Math.ceil(Math.min(...waits) / 1000);
}
