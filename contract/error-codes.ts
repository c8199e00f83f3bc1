import { Code } from "@connectrpc/connect";

/** A code that the core uses has a Connect code. A code of the public contract has an HTTP status. */
interface Meaning {
  readonly connect?: Code;
  readonly status?: number;
}

const ERRORS = {
  unknown_parameter: { status: 400 },
  invalid_request: { connect: Code.InvalidArgument, status: 400 },
  missing_idempotency_key: { connect: Code.InvalidArgument, status: 400 },
  invalid_idempotency_key: { connect: Code.InvalidArgument, status: 400 },
  merchant_net_not_positive: { connect: Code.FailedPrecondition, status: 400 },
  payment_method_unsupported: { connect: Code.FailedPrecondition, status: 400 },
  quote_fx_required: { connect: Code.FailedPrecondition, status: 400 },
  quote_expired: { connect: Code.FailedPrecondition, status: 400 },
  quote_consumed: { connect: Code.FailedPrecondition, status: 400 },
  refund_period_over: { connect: Code.FailedPrecondition, status: 400 },
  media_refused: { connect: Code.InvalidArgument, status: 400 },
  quota_exceeded: { connect: Code.ResourceExhausted, status: 400 },
  reserved_metadata_key: { connect: Code.InvalidArgument, status: 400 },
  invalid_api_key: { connect: Code.Unauthenticated, status: 401 },
  insufficient_scope: { status: 403 },
  not_available_in_live: { connect: Code.PermissionDenied, status: 403 },
  not_found: { status: 404 },
  quote_not_found: { connect: Code.NotFound, status: 404 },
  payment_not_found: { connect: Code.NotFound, status: 404 },
  payment_intent_not_found: { connect: Code.NotFound, status: 404 },
  refund_not_found: { connect: Code.NotFound, status: 404 },
  seal_not_found: { connect: Code.NotFound, status: 404 },
  payment_link_not_found: { connect: Code.NotFound, status: 404 },
  webhook_endpoint_not_found: { connect: Code.NotFound, status: 404 },
  event_not_found: { connect: Code.NotFound, status: 404 },
  delivery_not_found: { connect: Code.NotFound, status: 404 },
  media_not_found: { connect: Code.NotFound, status: 404 },
  method_not_allowed: { status: 405 },
  idempotency_key_reuse: { connect: Code.Aborted, status: 409 },
  payload_too_large: { status: 413 },
  unsupported_media_type: { status: 415 },
  rate_limited: { status: 429 },
  internal_error: { status: 500 },
  service_unavailable: { connect: Code.Unavailable, status: 503 },
  timeout: { status: 504 },
  invalid_core_token: { connect: Code.Unauthenticated },
  invalid_session: { connect: Code.Unauthenticated },
  sign_in_refused: { connect: Code.Unauthenticated },
  password_refused: { connect: Code.PermissionDenied },
  code_refused: { connect: Code.InvalidArgument },
  too_many_attempts: { connect: Code.ResourceExhausted },
  too_many_emails: { connect: Code.ResourceExhausted },
  user_exists: { connect: Code.AlreadyExists },
  done_already: { connect: Code.AlreadyExists },
  last_owner: { connect: Code.FailedPrecondition },
  reset_not_allowed: { connect: Code.FailedPrecondition },
  member_not_found: { connect: Code.NotFound },
  invitation_not_found: { connect: Code.NotFound },
  session_not_found: { connect: Code.NotFound },
  card_number_refused: { connect: Code.InvalidArgument },
  card_refused_for_good: { connect: Code.FailedPrecondition },
  payment_link_closed: { connect: Code.FailedPrecondition },
  checkout_session_expired: { connect: Code.FailedPrecondition },
  acknowledged_total_mismatch: { connect: Code.FailedPrecondition },
  payment_in_progress: { connect: Code.FailedPrecondition },
  prices_changed: { connect: Code.FailedPrecondition },
  day_not_ended: { connect: Code.FailedPrecondition },
  seal_broken: { connect: Code.FailedPrecondition },
  checkout_session_not_found: { connect: Code.NotFound },
  tenant_not_found: { connect: Code.NotFound },
  legal_entity_not_found: { connect: Code.NotFound },
  api_key_not_found: { connect: Code.NotFound },
  core_token_not_found: { connect: Code.NotFound },
  provider_account_not_found: { connect: Code.NotFound },
  provider_account_exists: { connect: Code.AlreadyExists },
  provider_account_retired: { connect: Code.FailedPrecondition },
  bank_account_not_found: { connect: Code.NotFound },
  decision_not_found: { connect: Code.NotFound },
  unknown_money_not_found: { connect: Code.NotFound },
  callback_not_found: { connect: Code.NotFound },
  callback_refused: { connect: Code.PermissionDenied },
  insufficient_permission: { connect: Code.PermissionDenied },
} as const satisfies Readonly<Record<string, Meaning>>;

type CodesWith<Key extends keyof Meaning> = {
  [Name in keyof typeof ERRORS]: (typeof ERRORS)[Name] extends Record<Key, unknown> ? Name : never;
}[keyof typeof ERRORS];

/** The codes that the core uses. */
export type ErrorCode = CodesWith<"connect">;

/** The codes of the public contract. */
export type PublicCode = CodesWith<"status">;

/** The Connect code of each code of the core. */
export const CONNECT_CODES = valuesOf("connect") as Readonly<Record<ErrorCode, Code>>;

/** The HTTP status of each code of the public contract. */
export const STATUSES = valuesOf("status") as Readonly<Record<PublicCode, number>>;

function valuesOf(key: keyof Meaning): Record<string, unknown> {
  const pairs = Object.entries<Meaning>(ERRORS).map(([code, meaning]) => [code, meaning[key]] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}
