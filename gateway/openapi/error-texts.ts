import { KEY_CHARACTERS_MAX } from "../../contract/headers.ts";
import type { PublicCode } from "../../contract/error-codes.ts";

/** When each code is returned, and the `param` of its example. */
export const ERROR_TEXTS: Readonly<Record<PublicCode, { when: string; param?: string }>> = {
  unknown_parameter: {
    when: "The body or the query has an unknown key; `param` is the key.",
    param: "colour",
  },
  invalid_request: {
    when: "The request is not valid; `param` is the field when it is one. On `amount` also where the payer's total would be more than can be charged.",
    param: "amount",
  },
  missing_idempotency_key: { when: "The header Idempotency-Key is missing or empty." },
  invalid_idempotency_key: { when: `The idempotency key is longer than ${KEY_CHARACTERS_MAX} characters.` },
  merchant_net_not_positive: {
    when: "The merchant's net after fees would not be above 0. Use a larger amount, or `pass_through` in place of `absorb`.",
  },
  payment_method_unsupported: {
    when: "The tenant or the link does not offer the payment method.",
    param: "payment_method",
  },
  quote_fx_required: {
    when: "A conversion is needed and no current exchange rate exists; it is not stored: try the same key again later.",
  },
  quote_expired: { when: "The quote was accepted after its validity." },
  quote_consumed: { when: "The quote has been accepted already." },
  refund_period_over: { when: "The payment is more than 90 days old: it is given back in another way." },
  media_refused: {
    when: "The file is no PNG, JPEG or WebP picture of at most 25 megapixels.",
    param: "content",
  },
  quota_exceeded: { when: "The tenant has as many of these as it may have in a mode." },
  reserved_metadata_key: {
    when: "A metadata key has the prefix `svc_`; `param` is the key.",
    param: "svc_order",
  },
  invalid_api_key: { when: "The API key is missing, invalid or revoked." },
  insufficient_scope: { when: "The API key lacks the scope of the operation." },
  not_available_in_live: { when: "The operation is for test keys only." },
  not_found: { when: "There is nothing at this address." },
  quote_not_found: { when: "The quote does not exist or is another tenant's." },
  payment_not_found: { when: "The payment does not exist." },
  payment_intent_not_found: { when: "The payment intent does not exist." },
  refund_not_found: { when: "The refund does not exist." },
  seal_not_found: { when: "The day is not closed." },
  payment_link_not_found: { when: "The payment link does not exist." },
  webhook_endpoint_not_found: { when: "The webhook endpoint does not exist." },
  event_not_found: { when: "The event does not exist." },
  delivery_not_found: { when: "The delivery does not exist." },
  media_not_found: { when: "The picture does not exist." },
  method_not_allowed: { when: "The address does not take this verb; `Allow` names those that it takes." },
  idempotency_key_reuse: { when: "The idempotency key was used for another request." },
  payload_too_large: { when: "The body is larger than 64 KiB, or that of a picture than 4.2 MB." },
  unsupported_media_type: { when: "The body is not `application/json`." },
  rate_limited: { when: "Too many requests: try again after `Retry-After` seconds." },
  internal_error: { when: "Something went wrong on our side." },
  service_unavailable: { when: "The service is not available now: try again after `Retry-After` seconds." },
  timeout: { when: "The request took too long." },
};
