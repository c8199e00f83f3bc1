import { FairSemaphore, type SemaphoreLimits } from "../../../contract/fair-semaphore.ts";
import { PaylinkError } from "../rpc/errors.ts";

/** Returns a semaphore whose refusal is service_unavailable. A key is a tenant in a mode, or an account of one. */
export function semaphoreOf(limits: Omit<SemaphoreLimits, "refusal">): FairSemaphore {
  return new FairSemaphore({ ...limits, refusal: tooMany });
}

function tooMany(): PaylinkError {
  return new PaylinkError(
    "service_unavailable",
    "Too many calls wait for their turn: try again in a moment.",
  );
}
