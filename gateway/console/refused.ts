import type { Visit } from "./visit.ts";

/** Why a request is refused before anything is read or done. */
export type Reason = "signed_out" | "unknown" | "forbidden" | "foreign_form" | "too_large";

export class Refused extends Error {
  readonly reason: Reason;
  /** The visit, if the session is known. */
  readonly visit: Visit | undefined;

  constructor(reason: Reason, visit?: Visit) {
    super(reason);
    this.reason = reason;
    this.visit = visit;
  }
}
