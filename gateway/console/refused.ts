import type { Visit } from "./visit.ts";

/** Why a request goes no further, before anything is looked at or done. */
export type Reason = "signed_out" | "unknown" | "forbidden" | "foreign_form" | "too_large";

export class Refused extends Error {
  readonly reason: Reason;
  /** Whose request it is, where that is known. */
  readonly visit: Visit | undefined;

  constructor(reason: Reason, visit?: Visit) {
    super(reason);
    this.reason = reason;
    this.visit = visit;
  }
}
