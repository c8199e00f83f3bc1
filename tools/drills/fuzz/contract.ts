import { Mismatch } from "./part.ts";

/** What is looked at of a REST answer. */
export interface RestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

const REQUEST_ID = /^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const JSON_TYPE = "application/json; charset=utf-8";
const SHOWN_CHARACTERS = 1500;
const UNREAD: ReadonlySet<number> = new Set([408, 431]);
const STATUS_OF: Readonly<Record<string, number>> = {
  unknown_parameter: 400,
  invalid_request: 400,
  missing_idempotency_key: 400,
  invalid_idempotency_key: 400,
  idempotency_key_reuse: 409,
  invalid_api_key: 401,
  insufficient_scope: 403,
  merchant_net_not_positive: 400,
  payment_method_unsupported: 400,
  quote_fx_required: 400,
  quote_expired: 400,
  quote_not_found: 404,
  quote_consumed: 400,
  payment_not_found: 404,
  payment_link_not_found: 404,
  not_available_in_live: 403,
  reserved_metadata_key: 400,
  payload_too_large: 413,
  unsupported_media_type: 415,
  not_found: 404,
  method_not_allowed: 405,
};

/** A refusal as the contract has it. */
export interface Refusal {
  readonly code: string;
  readonly param: string | null;
}

/** Reads the refusal of an answer of 4xx. Throws Mismatch where the answer does not have the contract's shape. */
export function refusalOf(answer: RestAnswer): Refusal {
  const { error, ...rest } = bodyOf(answer) as { error?: Record<string, unknown> };
  const { code, message, param, request_id: requestId, ...more } = error ?? {};
  const isShaped =
    Object.keys(rest).length === 0 &&
    Object.keys(more).length === 0 &&
    typeof code === "string" &&
    typeof message === "string" &&
    /.[.?]$/s.test(message) &&
    (param === null || typeof param === "string") &&
    requestId === answer.headers["x-request-id"];
  if (!isShaped) throw new Mismatch(`not the contract's error: ${shown(answer)}`);
  // What ends before it is a request at all has the status that HTTP has for it.
  const isUnread = code === "invalid_request" && UNREAD.has(answer.status);
  if (STATUS_OF[code] !== answer.status && !isUnread)
    throw new Mismatch(`status and code do not agree: ${shown(answer)}`);
  return { code, param };
}

/** Checks what the contract promises of every answer. Throws Mismatch if it does not hold. */
export function checkAnswer(answer: RestAnswer): void {
  const requestId = answer.headers["x-request-id"];
  if (typeof requestId !== "string" || !REQUEST_ID.test(requestId))
    throw new Mismatch(`no X-Request-Id: ${shown(answer)}`);
  if (answer.status >= 500) throw new Mismatch(`the service failed: ${shown(answer)}`);
  if (answer.status >= 400) refusalOf(answer);
  else bodyOf(answer);
}

function bodyOf(answer: RestAnswer): object {
  if (answer.headers["content-type"] !== JSON_TYPE) throw new Mismatch(`not JSON: ${shown(answer)}`);
  const body: unknown = JSON.parse(answer.text);
  if (typeof body !== "object" || body === null) throw new Mismatch(`no object: ${shown(answer)}`);
  return body;
}

/** An answer on one line, for users. */
export function shown({ status, headers, text }: RestAnswer): string {
  const short = text.replaceAll(/"signature":"[^"]*"/g, '"signature":"…"').slice(0, SHOWN_CHARACTERS);
  return `${status} ${String(headers["x-request-id"])} ${short}`;
}
