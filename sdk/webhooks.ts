import { Webhook, WebhookVerificationError } from "standardwebhooks";
import type { webhooks } from "../gen/sdk/api.ts";

/** The body of any webhook; `type` says which one. */
export type WebhookEvent = {
  [Type in keyof webhooks]: webhooks[Type]["post"] extends {
    requestBody: { content: { "application/json": infer Body } };
  }
    ? Body
    : never;
}[keyof webhooks];

/** As Node has them (`headers`, `headersDistinct`), or fetch. */
type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<[string, string]>;

/**
 * Returns the event of a webhook whose signature is one of these secrets' and at most five minutes old. `body` is the body as
 * it came, `headers` those of the request, as Node or fetch has them. Error, also where an input is of no use:
 * WebhookVerificationError.
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
): WebhookEvent {
  let fault = new WebhookVerificationError("verifyWebhook needs a secret.");
  // A secret's file may end with a line feed. Callers without types give undefined where a variable is not set.
  for (const secret of [secrets].flat().flatMap((text?: string) => text?.trim() || [])) {
    try {
      return webhookOf(secret).verify(textOf(body), textsOf(headers)) as WebhookEvent;
    } catch (error) {
      fault = error instanceof WebhookVerificationError ? error : new WebhookVerificationError(String(error));
    }
  }
  throw fault;
}

function webhookOf(secret: string): Webhook {
  try {
    return new Webhook(secret);
  } catch {
    throw new WebhookVerificationError("The secret is not base64 behind whsec_, as the service gives it.");
  }
}

function textOf(body: string | Uint8Array): string {
  if (typeof body === "string") return body;
  if (ArrayBuffer.isView(body)) return new TextDecoder().decode(body);
  throw new WebhookVerificationError("The body must be text or bytes as it came, before it is parsed.");
}

/** Returns each header as one text. The signatures of several are separated by spaces. */
function textsOf(headers: WebhookHeaders | undefined): Record<string, string> {
  const given = headers ?? {};
  const entries = Symbol.iterator in given ? [...given] : Object.entries(given);
  return Object.fromEntries(entries.map(([name, value]) => [name, [value].flat().join(" ")]));
}
