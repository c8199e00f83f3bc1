import { neighbourhoodOf } from "../../contract/network.ts";
import { WaitingInTurns } from "../../contract/waiting-in-turns.ts";
import { PaylinkError } from "../platform/errors.ts";

const WAITING_MAX = 32;
const WAITING_OF_TENANT_MAX = 12;
const OF_USER_MAX = 3;
const RETRY_SECONDS = 2;
const KINDS = ["stranger", "known", "user"] as const;

/**
 * For whom something of an attempt is done: someone without a session from a neighbourhood of networks, in a browser that
 * the account knows or in another, or a user of a tenant. A browser is no owner itself: who has accounts has any number of
 * browsers.
 */
export type AttemptOwner =
  | { readonly kind: "stranger" | "known"; readonly neighbourhood: string }
  | { readonly kind: "user"; readonly tenantId: string; readonly userId: string };

/**
 * Runs what each attempt with a password needs one after the other: strangers can ask for any number at once. Strangers,
 * known browsers and users have a line each, and the lines take turns; so do neighbourhoods of the first two, and tenants
 * of users. Error: too_many_attempts if too many wait.
 */
export class AttemptTurns {
  readonly #lines = {
    stranger: new WaitingInTurns({ ofOwner: WAITING_MAX, ofAll: WAITING_MAX, refusal: tooMany }),
    known: new WaitingInTurns({ ofOwner: WAITING_MAX, ofAll: WAITING_MAX, refusal: tooMany }),
    user: new WaitingInTurns({ ofOwner: WAITING_OF_TENANT_MAX, ofAll: WAITING_MAX, refusal: tooMany }),
  };
  readonly #ofUser = new Map<string, number>();
  #isRunning = false;

  /** Throws if an attempt would find no place now. Error: too_many_attempts. */
  requireRoom(owner: AttemptOwner): void {
    if (this.#isRunning) this.#lines[owner.kind].requireRoom(turnOf(owner));
  }

  async run<Result>(owner: AttemptOwner, work: () => Promise<Result>): Promise<Result> {
    const name = turnOf(owner);
    if (this.#isRunning) await this.#lines[owner.kind].turn(name);
    this.#isRunning = true;
    try {
      return await work();
    } finally {
      this.#lines[owner.kind].putLast(name);
      this.#isRunning = this.#beginNext(owner.kind);
    }
  }

  /**
   * Runs a user's request that needs turns. A few of one user run at once, so that they do not take the turns of the
   * tenant's other users. Error: too_many_attempts.
   */
  async within<Result>(userId: string, request: () => Promise<Result>): Promise<Result> {
    const count = this.#ofUser.get(userId) ?? 0;
    if (count >= OF_USER_MAX) throw tooMany();
    this.#ofUser.set(userId, count + 1);
    try {
      return await request();
    } finally {
      const left = (this.#ofUser.get(userId) ?? 1) - 1;
      if (left > 0) this.#ofUser.set(userId, left);
      else this.#ofUser.delete(userId);
    }
  }

  #beginNext(last: AttemptOwner["kind"]): boolean {
    const next = KINDS.indexOf(last) + 1;
    const kinds = [...KINDS.slice(next), ...KINDS.slice(0, next)];
    return kinds.some((kind) => this.#lines[kind].beginNext() !== undefined);
  }
}

/** Returns the owner of the attempts of someone without a session. */
export function strangerAt(address: string): AttemptOwner {
  return { kind: "stranger", neighbourhood: neighbourhoodOf(address) };
}

/** Returns the owner of attempts in browsers that their account knows. */
export function knownAt(address: string): AttemptOwner {
  return { kind: "known", neighbourhood: neighbourhoodOf(address) };
}

function turnOf(owner: AttemptOwner): string {
  return owner.kind === "user" ? owner.tenantId : owner.neighbourhood;
}

function tooMany(): PaylinkError {
  const message = `There are too many attempts at once: try again in ${RETRY_SECONDS} seconds.`;
  return new PaylinkError("too_many_attempts", message, null, { retryAfterSeconds: RETRY_SECONDS });
}
