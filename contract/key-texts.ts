import { KEY_CHARACTERS_MAX } from "./headers.ts";

/** The message of a request without a good API key. It does not say which reason holds: a stranger would learn of keys. */
export const INVALID_API_KEY =
  "The API key is missing, wrong, revoked, past its end or not for this address: send Authorization: Bearer <key>.";

/** The message of a request without an idempotency key. */
export const KEY_REQUIRED =
  "The header Idempotency-Key is required: send a new unique text for each act, such as a UUID.";

/** Returns the message of an idempotency key with so many characters. */
export function keyTooLong(characterCount: number): string {
  return `Idempotency-Key has ${characterCount} characters: it must have at most ${KEY_CHARACTERS_MAX}.`;
}
