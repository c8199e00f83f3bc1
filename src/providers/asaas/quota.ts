import { ProviderFault } from "../provider-fault.ts";

/** For whom a call is. "payer": a person or news waits for it. "again": a payer who has asked the same before. */
export type CallPurpose = "payer" | "statement" | "check" | "again";

/** The headers of an answer, by their names in lower case. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

interface Known {
  readonly limit: number;
  readonly remaining: number;
  readonly endsMs: number;
}

// The part of all calls that is kept from calls of a purpose. Who asks again needs no account, and must not bring about
// that checks are put off.
const KEPT_SHARES: Readonly<Record<CallPurpose, number>> = {
  payer: 0,
  statement: 0.1,
  check: 0.2,
  again: 0.4,
};
const WINDOW_SECONDS_MAX = 43_200;
// A provider may give more calls before its time.
const PAUSE_SECONDS_MAX = 3600;

/** How many calls an account has left, as the last answer says. Unknown before the first one and after its time. */
export class CallQuota {
  #known: Known | undefined;
  #pausedUntilMs = 0;

  /** Reads the headers of an answer. Those of an answer without them, or of another form, change nothing. */
  note(headers: Headers, nowMs: number): void {
    const [limit, remaining, seconds] = ["limit", "remaining", "reset"].map((name) =>
      wholeIn(headers[`ratelimit-${name}`]),
    );
    if (limit === undefined || remaining === undefined || seconds === undefined || limit === 0) return;
    this.#known = { limit, remaining, endsMs: nowMs + Math.min(seconds, WINDOW_SECONDS_MAX) * 1000 };
  }

  /** After a refusal for too many calls, only payers' calls go on until the time that it named. */
  pause(seconds: number, nowMs: number): void {
    this.#pausedUntilMs = nowMs + seconds * 1000;
  }

  /** Throws ProviderFault "busy", with the time to wait, if the calls that are left are kept for others. */
  require(purpose: CallPurpose, nowMs: number): void {
    const pauseSeconds = purpose === "payer" ? 0 : Math.ceil((this.#pausedUntilMs - nowMs) / 1000);
    const seconds = Math.max(this.#secondsWithout(purpose, nowMs) ?? 0, pauseSeconds);
    if (seconds <= 0) return;
    throw new ProviderFault("busy", "the account has few calls left, which are kept for payers", {
      isUndone: true,
      code: "few_calls_left",
      retryAfterSeconds: Math.min(seconds, PAUSE_SECONDS_MAX),
    });
  }

  /** Returns the seconds for which a purpose has no calls, or null if it has some. */
  #secondsWithout(purpose: CallPurpose, nowMs: number): number | null {
    if (!this.#known) return null;
    const { limit, remaining, endsMs } = this.#known;
    const kept = limit * KEPT_SHARES[purpose];
    if (kept === 0 || nowMs >= endsMs || remaining > kept) return null;
    return Math.ceil((endsMs - nowMs) / 1000);
  }
}

function wholeIn(value: string | string[] | undefined): number | undefined {
  return typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}
