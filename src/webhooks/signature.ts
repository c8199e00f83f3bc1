import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";

const SECRET_BYTES = 32;
/** The time for which deliveries also carry the signature of a former secret, in seconds. */
export const ROTATION_SECONDS = 24 * 60 * 60;

/** Returns a new signing secret in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/** Returns the headers with which a receiver verifies a body: one signature for each valid secret. */
export function signatureHeaders(
  eventId: string,
  body: Buffer,
  secrets: readonly string[],
  now: Date,
): Record<string, string> {
  const text = body.toString("utf8");
  return {
    "webhook-id": eventId,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(eventId, now, text)).join(" "),
  };
}
