import type { BankClock } from "../../../tools/bank/clock.ts";
import type { MadeAnswer } from "../provider/server.ts";
import type { Account } from "./state.ts";

const KEPT_MS = 24 * 3600 * 1000;

/** Answers a key's first request, and each later one in 24 hours with the same answer. Case matters in keys. */
export function once(
  { answered }: Account,
  key: string | undefined,
  clock: BankClock,
  make: () => MadeAnswer,
): MadeAnswer {
  if (key === undefined) return make();
  const kept = answered.get(key);
  if (kept && clock.nowMs() < kept.at.getTime() + KEPT_MS) {
    return { status: kept.status, contentType: "application/json; charset=utf-8", text: kept.text };
  }
  const made = make();
  answered.set(key, { at: clock.now(), status: made.status, text: made.text });
  return made;
}
