import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "#schemas/google/rpc/error_details_pb.js";

/** All error codes of the core, with the Connect code of each. */
const connectCodes = {
  invalid_request: Code.InvalidArgument,
  missing_idempotency_key: Code.InvalidArgument,
  invalid_idempotency_key: Code.InvalidArgument,
  reserved_metadata_key: Code.InvalidArgument,
  idempotency_key_reuse: Code.Aborted,
  invalid_api_key: Code.Unauthenticated,
  invalid_core_token: Code.Unauthenticated,
  invalid_session: Code.Unauthenticated,
  sign_in_refused: Code.Unauthenticated,
  password_refused: Code.PermissionDenied,
  code_refused: Code.InvalidArgument,
  too_many_attempts: Code.ResourceExhausted,
  quota_exceeded: Code.ResourceExhausted,
  user_exists: Code.AlreadyExists,
  done_already: Code.AlreadyExists,
  last_owner: Code.FailedPrecondition,
  reset_not_allowed: Code.FailedPrecondition,
  member_not_found: Code.NotFound,
  invitation_not_found: Code.NotFound,
  session_not_found: Code.NotFound,
  merchant_net_not_positive: Code.FailedPrecondition,
  payment_method_unsupported: Code.FailedPrecondition,
  quote_fx_required: Code.FailedPrecondition,
  quote_expired: Code.FailedPrecondition,
  quote_consumed: Code.FailedPrecondition,
  card_number_refused: Code.InvalidArgument,
  media_refused: Code.InvalidArgument,
  payment_link_closed: Code.FailedPrecondition,
  checkout_session_expired: Code.FailedPrecondition,
  acknowledged_total_mismatch: Code.FailedPrecondition,
  payment_in_progress: Code.FailedPrecondition,
  day_not_ended: Code.FailedPrecondition,
  seal_broken: Code.FailedPrecondition,
  checkout_session_not_found: Code.NotFound,
  quote_not_found: Code.NotFound,
  payment_not_found: Code.NotFound,
  payment_link_not_found: Code.NotFound,
  tenant_not_found: Code.NotFound,
  legal_entity_not_found: Code.NotFound,
  api_key_not_found: Code.NotFound,
  core_token_not_found: Code.NotFound,
  webhook_endpoint_not_found: Code.NotFound,
  event_not_found: Code.NotFound,
  delivery_not_found: Code.NotFound,
  seal_not_found: Code.NotFound,
  media_not_found: Code.NotFound,
  not_available_in_live: Code.PermissionDenied,
  insufficient_permission: Code.PermissionDenied,
  service_unavailable: Code.Unavailable,
} as const;

export type ErrorCode = keyof typeof connectCodes;

/** An error of the contract. `message` and `param` are public; `cause` is for logs only. */
export class PaylinkError extends Error {
  readonly code: ErrorCode;
  /** The field concerned, in the caller's spelling, or null. */
  readonly param: string | null;
  /** Seconds after which the same request may succeed, if known. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    param: string | null = null,
    options?: ErrorOptions & { readonly retryAfterSeconds?: number },
  ) {
    super(message, options);
    this.name = "PaylinkError";
    this.code = code;
    this.param = param;
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }
}

export function invalidRequest(param: string | null, message: string): PaylinkError {
  return new PaylinkError("invalid_request", message, param);
}

/** Returns the error for a repeated submission_id. The response is given only once. */
export function doneAlready(): PaylinkError {
  return new PaylinkError("done_already", "This was done already.", "submission_id");
}

/** The violations of fields: each has a path, a word and a sentence. */
export type FieldViolations = NonNullable<MessageInitShape<typeof BadRequestSchema>["fieldViolations"]>;

/**
 * Returns the error in its wire form: the contract's code in google.rpc.ErrorInfo, the fields in google.rpc.BadRequest,
 * the time to wait in google.rpc.RetryInfo, and a replay's headers.
 */
export function toConnectError(
  error: PaylinkError,
  headers?: Headers,
  fieldViolations: FieldViolations = ownViolations(error),
): ConnectError {
  const info = create(ErrorInfoSchema, {
    reason: error.code,
    domain: "paylink",
    metadata: error.param === null ? {} : { param: error.param },
  });
  const badRequest =
    fieldViolations.length > 0 ? [{ desc: BadRequestSchema, value: { fieldViolations } }] : [];
  const retry =
    error.retryAfterSeconds === undefined
      ? []
      : [{ desc: RetryInfoSchema, value: { retryDelay: durationFromMs(error.retryAfterSeconds * 1000) } }];
  const details = [{ desc: ErrorInfoSchema, value: info }, ...badRequest, ...retry];
  return new ConnectError(error.message, connectCodes[error.code], headers, details, error.cause);
}

function ownViolations({ code, param, message }: PaylinkError): FieldViolations {
  return param === null ? [] : [{ field: param, reason: code, description: message }];
}
