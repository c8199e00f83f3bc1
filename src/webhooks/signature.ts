import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";

const SECRET_BYTES = 32;
/** How long deliveries carry the signature of a former secret too, in seconds. */
export const ROTATION_SECONDS = 24 * 60 * 60;

/** A new signing secret, as Standard Webhooks writes them. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/** The headers that let a receiver verify a body: one signature for each secret in force. */
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
