import { FairSemaphore } from "../../contract/fair-semaphore.ts";
import { neighbourhoodOf } from "../../contract/network.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";

const RETRY_SECONDS = 2;

/** For whom something of an attempt is done: the key of its semaphores. */
export type AttemptOwner = string;

/** Returns the owner of the attempts of someone without a session. */
export function strangerAt(address: string): AttemptOwner {
  return `stranger ${neighbourhoodOf(address)}`;
}

/** Returns the owner of attempts in browsers that their account knows: strangers of its network delay none of them. */
export function knownAt(address: string): AttemptOwner {
  return `known ${neighbourhoodOf(address)}`;
}

/** Returns the owner of a signed-in user's attempts. */
export function userOwner(userId: string): AttemptOwner {
  return `user ${userId}`;
}

/** Returns a semaphore that runs what each attempt needs one after the other: strangers can ask for any number at once. */
export function attemptSemaphore(): FairSemaphore {
  return new FairSemaphore({
    total: 1,
    perKey: 1,
    waitingPerKey: 32,
    waitingTotal: 96,
    refusal: tooManyAttempts,
  });
}

/**
 * Returns a semaphore of the users' own requests with a password: an attempt counts as a failure until it has succeeded, so
 * that many right ones at once would lock their user out.
 */
export function ownRequestSemaphore(): FairSemaphore {
  return new FairSemaphore({
    total: 64,
    perKey: 3,
    waitingPerKey: 32,
    waitingTotal: 512,
    refusal: tooManyAttempts,
  });
}

/** The error of an attempt that may not wait. */
export function tooManyAttempts(): PaylinkError {
  const message = `There are too many attempts at once: try again in ${RETRY_SECONDS} seconds.`;
  return new PaylinkError("too_many_attempts", message, null, { retryAfterSeconds: RETRY_SECONDS });
}
