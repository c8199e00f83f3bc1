import type { BankClock } from "../../../tools/bank/clock.ts";
import { problemOf } from "./problem.ts";
import type { Account } from "./state.ts";

const WINDOW_MS = 12 * 3600 * 1000;

/** How many calls an account has in 12 hours. */
export const CALLS_MAX = 25_000;

/** Counts a call. Returns the headers of its answer. Throws Problem if none is left. */
export function counted(
  { quota }: Account,
  clock: BankClock,
  callsMax: number,
): Readonly<Record<string, string>> {
  const nowMs = clock.nowMs();
  if (nowMs < quota.startedMs || nowMs >= quota.startedMs + WINDOW_MS) {
    quota.startedMs = nowMs;
    quota.used = 0;
  }
  if (quota.used >= callsMax) throw problemOf(429);
  quota.used++;
  return {
    "ratelimit-limit": String(callsMax),
    "ratelimit-remaining": String(callsMax - quota.used),
    "ratelimit-reset": String(Math.ceil((quota.startedMs + WINDOW_MS - nowMs) / 1000)),
  };
}
