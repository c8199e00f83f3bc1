interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  readonly request_id: string;
}

/** A refusal of the service, or its failure after the last try. */
export class PaylinkError extends Error {
  /** HTTP status. */
  readonly status: number;
  /** The code of the API's document, such as "quote_expired"; "unknown" if the answer is not the service's own. */
  readonly code: string;
  /** The field that the error concerns, or null. */
  readonly param: string | null;
  /** What to name in a question to the operator; null if the answer is not the service's own. */
  readonly requestId: string | null;
  /** The pause that the service wishes before a retry, in seconds; null: it names none. */
  readonly retryAfterSeconds: number | null;

  constructor(status: number, body: unknown, retryAfterSeconds: number | null) {
    const error = errorIn(body);
    super(
      error ? `${error.code}: ${error.message} (${error.request_id})` : `The service answered ${status}.`,
    );
    this.name = "PaylinkError";
    this.status = status;
    this.code = error?.code ?? "unknown";
    this.param = error?.param ?? null;
    this.requestId = error?.request_id ?? null;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** No whole answer came. Of a call with an idempotency key, send it again with that key: it is done once at most. */
export class ConnectionError extends Error {
  /** How often the call was tried. */
  readonly tries: number;
  /** The key to send it again with; null: the call takes none. */
  readonly idempotencyKey: string | null;

  constructor(origin: string, tries: number, idempotencyKey: string | null, cause: unknown) {
    super(`No answer came from ${origin} in ${tries} ${tries === 1 ? "try" : "tries"}.`, { cause });
    this.name = "ConnectionError";
    this.tries = tries;
    this.idempotencyKey = idempotencyKey;
  }
}

function errorIn(body: unknown): ErrorBody | undefined {
  const error = (body as { error?: Partial<ErrorBody> } | null | undefined)?.error;
  return typeof error?.code === "string" && typeof error.request_id === "string"
    ? (error as ErrorBody)
    : undefined;
}
