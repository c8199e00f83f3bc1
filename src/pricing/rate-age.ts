import { afterBankMs, bankMsBetween, type Overrides } from "../platform/time/business-days.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import type { FxSpotRow } from "./entities.ts";

/** The source of the rates that a person publishes. */
const MANUAL = "manual";

type AgingRate = Pick<FxSpotRow, "source" | "publishedAt" | "maxAgeSeconds">;

/** Returns true if a source's rates age in bank-open time. A rate that a person published ages by the clock. */
function agesInBankTime(source: string): boolean {
  return source !== MANUAL;
}

/** Returns a rate's age in whole seconds, of bank-open time or by the clock. */
export function ageSeconds({ source, publishedAt }: AgingRate, now: Date, overrides: Overrides): number {
  const ageMs = agesInBankTime(source)
    ? bankMsBetween(publishedAt, now, overrides)
    : now.getTime() - publishedAt.getTime();
  return Math.max(0, Math.floor(ageMs / 1000));
}

/** Returns the instant from which on a rate is too old. */
export function endOfUse({ source, publishedAt, maxAgeSeconds }: AgingRate, overrides: Overrides): Date {
  const seconds = Number(maxAgeSeconds);
  return agesInBankTime(source)
    ? afterBankMs(publishedAt, seconds * 1000, overrides)
    : secondsAfter(publishedAt, seconds);
}
