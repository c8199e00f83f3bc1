import type { MessageKey } from "./messages.ts";

/** Messages for the core's error codes. */
export const CODE_MESSAGES: Readonly<Record<string, MessageKey>> = {
  password_refused: "password_refused",
  code_refused: "code_refused",
  too_many_attempts: "too_many_attempts",
  too_many_emails: "too_many_emails",
  sign_in_refused: "sign_in_refused",
  last_owner: "last_owner",
  user_exists: "user_exists",
  reset_not_allowed: "reset_not_allowed",
  merchant_net_not_positive: "net_not_positive",
  payment_method_unsupported: "method_unsupported",
  quote_fx_required: "rate_missing",
  quote_expired: "quote_expired",
  quote_consumed: "quote_consumed",
  refund_period_over: "refund_period_over",
  reserved_metadata_key: "reserved_metadata_key",
  idempotency_key_reuse: "sent_before",
  media_refused: "media_refused",
  quota_exceeded: "quota_exceeded",
  not_available_in_live: "test_only",
  day_not_ended: "day_not_ended",
};

/** Messages for what the core refuses as an invalid request, by the fact that says why. */
export const REFUSAL_MESSAGES: Readonly<Record<string, MessageKey>> = {
  card_number: "card_number_refused",
  before_first_day: "before_first_day",
  amount_too_small: "amount_too_small",
};

/** Messages for a field, by the last part of the violated rule's id. */
export const RULE_MESSAGES: Readonly<Record<string, MessageKey>> = {
  required: "field_required",
  min_len: "field_required",
  min_items: "field_required",
  max_len: "field_too_long",
  max_items: "field_too_many",
  email: "field_email",
  gte: "field_out_of_range",
  lte: "field_out_of_range",
  gte_lte: "field_out_of_range",
};
