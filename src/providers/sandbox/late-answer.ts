import { secondsAfter } from "../../platform/time/clock.ts";
import type { SandboxChargeRow } from "../entities.ts";
import { ProviderFault } from "../provider-fault.ts";

// A payer's page and the worker ask again by then.
const ASKED_AGAIN_SECONDS = 12;

/**
 * After how many seconds the sandbox has a Pix code, by the payer's total in centavos. Merchants' tests rely on the amounts,
 * so they stay as they are.
 */
export const LATE_CODES: ReadonlyMap<bigint, number> = new Map([
  [10_008n, 8],
  [10_060n, 60],
]);

/** The same of test cards whose issuer approves late, by their tokens. */
export const LATE_CARDS: ReadonlyMap<string, number> = new Map([
  ["tok_slow", 8],
  ["tok_silent", 60],
]);

/** Returns when the sandbox answers for a charge that is made now; null: at once. */
export function answersAt(seconds: number | undefined, now: Date): Date | null {
  return seconds === undefined ? null : secondsAfter(now, seconds);
}

/** Returns true until the sandbox answers for a charge. */
export function isSilent({ answersAt: at }: Pick<SandboxChargeRow, "answersAt">, now: Date): boolean {
  return at != null && now < at;
}

/** Throws ProviderFault until the sandbox answers for a charge. */
export function requireAnswer(charge: Pick<SandboxChargeRow, "answersAt">, now: Date): void {
  if (!isSilent(charge, now)) return;
  const left = ((charge.answersAt ?? now).getTime() - now.getTime()) / 1000;
  const retryAfterSeconds = Math.min(left, ASKED_AGAIN_SECONDS);
  throw new ProviderFault("busy", "the sandbox answers late for this amount", { retryAfterSeconds });
}
