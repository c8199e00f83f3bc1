import type { Html } from "../../pages/html.ts";
import { DeliveryStatus, WebhookEndpointStatus } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import type {
  Delivery,
  DeliveryAttempt,
  WebhookEndpoint,
} from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { badge } from "../parts/show.ts";
import type { Translate, MessageKey } from "./messages.ts";

/** The types that an endpoint may ask for. */
export const EVENT_TYPES = ["payment.succeeded", "payment.failed", "link.expired"] as const;

/** The types that may have been delivered. */
export const DELIVERED_TYPES = [...EVENT_TYPES, "webhook.test"] as const;

/** Types that are recorded, and told to no endpoint. */
const INTERNAL_TYPES = ["payment.fees_acknowledged", "payment.exception_recorded"] as const;

const WORD_OF_TYPE: ReadonlyMap<string, MessageKey> = new Map(
  [...DELIVERED_TYPES, ...INTERNAL_TYPES].map((type) => [type, type]),
);

/** An event's type, in words where there are some. */
export function typeText(t: Translate, type: string): string {
  const word = WORD_OF_TYPE.get(type);
  return word === undefined ? type : t(word);
}

/** What an endpoint asks for. */
export function typesText(t: Translate, types: readonly string[]): string {
  return types.length === 0 ? t("all_types") : types.join(", ");
}

export function isEnabled({ status }: WebhookEndpoint): boolean {
  return status === WebhookEndpointStatus.ENABLED;
}

export function endpointBadge(t: Translate, endpoint: WebhookEndpoint): Html {
  return isEnabled(endpoint) ? badge("good", t("enabled")) : badge("warn", t("disabled"));
}

const STATUSES = {
  pending: { status: DeliveryStatus.PENDING, tone: "warn" },
  succeeded: { status: DeliveryStatus.SUCCEEDED, tone: "good" },
  failed: { status: DeliveryStatus.FAILED, tone: "bad" },
} as const;

export const STATUS_WORDS = ["pending", "succeeded", "failed"] as const;

/** The status that a filter's word stands for. */
export function statusOf(word: string | undefined): DeliveryStatus | undefined {
  const known = STATUS_WORDS.find((candidate) => candidate === word);
  return known && STATUSES[known].status;
}

export function deliveryBadge(t: Translate, { status }: Delivery): Html {
  const word = STATUS_WORDS.find((candidate) => STATUSES[candidate].status === status) ?? "pending";
  return badge(STATUSES[word].tone, t(word));
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

/** How an attempt was answered: "200", "500: the answer was not 2xx". */
export function answerText(
  t: Translate,
  { statusCode, error }: Pick<DeliveryAttempt, "statusCode" | "error">,
): string {
  const word = error === undefined ? undefined : ERRORS[error];
  const why = word === undefined ? (error ?? "") : t(word);
  const status = statusCode === undefined ? t("no_answer") : String(statusCode);
  return why === "" ? status : `${status}: ${why}`;
}
