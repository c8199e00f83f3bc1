import { DELIVERED_TYPES, INTERNAL_TYPES } from "../../../contract/event-types.ts";
import type { Html } from "../../pages/html.ts";
import { DeliveryStatus, WebhookEndpointStatus } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import type {
  Delivery,
  DeliveryAttempt,
  WebhookEndpoint,
} from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { badge, type Tone } from "../parts/show.ts";
import type { Translate, MessageKey } from "./messages.ts";

const WORD_OF_TYPE: ReadonlyMap<string, MessageKey> = new Map(
  [...DELIVERED_TYPES, ...INTERNAL_TYPES].map((type) => [type, type]),
);

/** Returns an event's type in words, or the type itself if it has none. */
export function typeText(t: Translate, type: string): string {
  const word = WORD_OF_TYPE.get(type);
  return word === undefined ? type : t(word);
}

/** Returns the event types that an endpoint subscribes to. */
export function typesText(t: Translate, types: readonly string[]): string {
  return types.length === 0 ? t("all_types") : types.join(", ");
}

export function isEnabled({ status }: WebhookEndpoint): boolean {
  return status === WebhookEndpointStatus.ENABLED;
}

export function endpointBadge(t: Translate, endpoint: WebhookEndpoint): Html {
  return isEnabled(endpoint) ? badge("good", t("enabled")) : badge("warn", t("disabled"));
}

const STATUSES: Readonly<Record<DeliveryStatus, readonly [Tone, "pending" | "succeeded" | "failed"]>> = {
  [DeliveryStatus.UNSPECIFIED]: ["warn", "pending"],
  [DeliveryStatus.PENDING]: ["warn", "pending"],
  [DeliveryStatus.SUCCEEDED]: ["good", "succeeded"],
  [DeliveryStatus.FAILED]: ["bad", "failed"],
};

export function deliveryBadge(t: Translate, { status }: Delivery): Html {
  return badge(STATUSES[status]?.[0] ?? "warn", statusText(t, status));
}

export function statusText(t: Translate, status: DeliveryStatus): string {
  return t(STATUSES[status]?.[1] ?? "pending");
}

const ERRORS: Readonly<Record<string, MessageKey>> = {
  timeout: "timeout",
  address_refused: "error_address_refused",
  name_not_resolved: "name_not_resolved",
  connection_failed: "connection_failed",
  tls_failed: "tls_failed",
  bad_status: "bad_status",
  endpoint_disabled: "endpoint_disabled",
};

/** Returns the answer to an attempt: "200", "500: the answer was not 2xx". */
export function answerText(
  t: Translate,
  { statusCode, error }: Pick<DeliveryAttempt, "statusCode" | "error">,
): string {
  const word = error === undefined ? undefined : ERRORS[error];
  const why = word === undefined ? (error ?? "") : t(word);
  const status = statusCode === undefined ? t("no_answer") : String(statusCode);
  return why === "" ? status : `${status}: ${why}`;
}
