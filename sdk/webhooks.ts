import { Webhook } from "standardwebhooks";
import type { webhooks } from "../gen/sdk/api.ts";

/** The body of any webhook; `type` says which one. */
export type WebhookEvent = {
  [Type in keyof webhooks]: webhooks[Type]["post"] extends {
    requestBody: { content: { "application/json": infer Body } };
  }
    ? Body
    : never;
}[keyof webhooks];

/**
 * Returns the event of a webhook whose signature is one of these secrets' and at most five minutes old. `body` is the body as
 * it came, `headers` those of the request, with names in lower case. Throws WebhookVerificationError of standardwebhooks.
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: Readonly<Record<string, string | string[] | undefined>> | Headers,
  secrets: string | readonly string[],
): WebhookEvent {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const given = headers instanceof Headers ? Object.fromEntries(headers) : headers;
  const known = typeof secrets === "string" ? [secrets] : secrets;
  let fault: unknown = new Error("verifyWebhook needs a secret.");
  for (const secret of known) {
    try {
      return new Webhook(secret).verify(text, given as Record<string, string>) as WebhookEvent;
    } catch (error) {
      fault = error;
    }
  }
  throw fault;
}
