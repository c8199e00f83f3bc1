import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";

/** The codes of the public contract and their HTTP statuses. */
export const STATUSES = {
  unknown_parameter: 400,
  invalid_request: 400,
  missing_idempotency_key: 400,
  invalid_idempotency_key: 400,
  merchant_net_not_positive: 400,
  payment_method_unsupported: 400,
  quote_fx_required: 400,
  quote_expired: 400,
  quote_consumed: 400,
  reserved_metadata_key: 400,
  invalid_api_key: 401,
  insufficient_scope: 403,
  not_available_in_live: 403,
  not_found: 404,
  quote_not_found: 404,
  payment_not_found: 404,
  payment_link_not_found: 404,
  method_not_allowed: 405,
  idempotency_key_reuse: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal_error: 500,
  service_unavailable: 503,
  timeout: 504,
} as const;

export type PublicCode = keyof typeof STATUSES;

/** An error of the contract. All its texts are public. */
export class PublicError extends Error {
  readonly code: PublicCode;
  readonly param: string | null;
  /** The original request's id, if the core replayed its answer. */
  readonly replayOf: string | undefined;

  constructor(code: PublicCode, message: string, param: string | null = null, replayOf?: string) {
    super(message);
    this.name = "PublicError";
    this.code = code;
    this.param = param;
    this.replayOf = replayOf;
  }

  get status(): number {
    return STATUSES[this.code];
  }

  /** Returns the body of the answer. */
  toJson(requestId: string): string {
    const { code, message, param } = this;
    return JSON.stringify({ error: { code, message, param, request_id: requestId } });
  }
}

export function invalidRequest(param: string | null, message: string): PublicError {
  return new PublicError("invalid_request", message, param);
}

/** Returns true if the core answered that it is unavailable. It has already logged the reason. */
export function isCoreUnavailable(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false;
  const details = error.findDetails(ErrorInfoSchema);
  return details.some(({ domain, reason }) => domain === "paylink" && reason === "service_unavailable");
}

/** Returns any error as the contract shows it, without texts that are not public. */
export function toPublicError(error: unknown): PublicError {
  if (error instanceof PublicError) return error;
  if (!(error instanceof ConnectError)) return internalError();
  const info = error.findDetails(ErrorInfoSchema).find(({ domain }) => domain === "paylink");
  if (info && Object.hasOwn(STATUSES, info.reason)) {
    const replayed = error.metadata.get("idempotent-replay") === "true";
    const replayOf = replayed ? (error.metadata.get("paylink-request-id") ?? undefined) : undefined;
    const param = info.metadata["param"] ?? null;
    return new PublicError(info.reason as PublicCode, error.rawMessage, param, replayOf);
  }
  if (error.code === Code.Unavailable) {
    return new PublicError("service_unavailable", "The service is not available now.");
  }
  if (error.code === Code.DeadlineExceeded) {
    return new PublicError("timeout", "The request took too long.");
  }
  return internalError();
}

function internalError(): PublicError {
  return new PublicError("internal_error", "Something went wrong on our side.");
}
