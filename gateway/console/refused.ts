/** Why a request is refused before anything is read or done. */
export type Reason = "signed_out" | "unknown" | "forbidden" | "foreign_form" | "too_large" | "busy";

export class Refused extends Error {
  readonly reason: Reason;
  /** The `Visit`, if the session is known. Its type is not named here: visits throw this error. */
  readonly visit: object | undefined;

  constructor(reason: Reason, visit?: object) {
    super(reason);
    this.reason = reason;
    this.visit = visit;
  }
}
