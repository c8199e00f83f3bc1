import { HEADERS } from "../../contract/headers.ts";
import { KEY_CHARACTERS_MAX, keyLength } from "../../contract/idempotency-key.ts";
import { Idempotency } from "../../gen/paylink/options/v1/options_pb.ts";
import { headerValues } from "../http/header-values.ts";
import { PublicError } from "../transcode/errors.ts";

/**
 * Returns the request's Idempotency-Key, or undefined if the route takes none or it is optional and missing. Errors:
 * missing_idempotency_key, invalid_idempotency_key.
 */
export function readIdempotencyKey(rule: Idempotency, rawHeaders: readonly string[]): string | undefined {
  if (rule === Idempotency.UNSPECIFIED) return undefined;
  const [key, ...more] = headerValues(rawHeaders, HEADERS.idempotencyKey);
  if (more.length > 0) {
    throw new PublicError("invalid_idempotency_key", "Send one Idempotency-Key header.");
  }
  if (key === undefined || key === "") {
    if (rule === Idempotency.OPTIONAL) return undefined;
    throw new PublicError("missing_idempotency_key", "The header Idempotency-Key is required.");
  }
  if (keyLength(key) > KEY_CHARACTERS_MAX) {
    const message = `Idempotency-Key must be at most ${KEY_CHARACTERS_MAX} characters.`;
    throw new PublicError("invalid_idempotency_key", message);
  }
  return key;
}
