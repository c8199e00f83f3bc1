/**
 * The kind of a provider's failure. "refused": a definite refusal. "unknown": the request may have been carried out.
 * "misconfigured": the account's credentials, certificate or permissions are wrong. "busy": to be asked again after a
 * time.
 */
export type FaultKind = "refused" | "unknown" | "misconfigured" | "busy";

/** A provider's failure. Its message holds neither secrets nor a payer's data. */
export class ProviderFault extends Error {
  readonly kind: FaultKind;
  /** The provider's own name of the error. */
  readonly code: string | null;
  /** With "busy": the time to wait, if the provider named one. */
  readonly retryAfterSeconds: number | null;
  /** True: there was no answer, by time or by connection. */
  readonly isOutage: boolean;
  /** True: the request was certainly not carried out. */
  readonly isUndone: boolean;
  /** True: it is refused as another request for the same may be under way. */
  readonly isConflict: boolean;

  constructor(
    kind: FaultKind,
    message: string,
    {
      code = null,
      retryAfterSeconds = null,
      isOutage: isWithoutAnswer = false,
      isUndone = false,
      isConflict = false,
      cause,
    }: {
      readonly code?: string | null;
      readonly retryAfterSeconds?: number | null;
      readonly isOutage?: boolean;
      readonly isUndone?: boolean;
      readonly isConflict?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause });
    this.name = "ProviderFault";
    this.kind = kind;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
    this.isOutage = isWithoutAnswer;
    this.isUndone = isUndone;
    this.isConflict = isConflict;
  }
}

/** Returns true if a provider did not answer, by time or by connection. */
export function isOutage(error: unknown): boolean {
  return error instanceof ProviderFault && error.isOutage;
}
