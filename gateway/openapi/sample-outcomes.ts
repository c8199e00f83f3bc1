import type { JsonObject } from "@bufbuild/protobuf";
import { MOMENT } from "./samples.ts";

const DAY_SECONDS = 86_400;

/** What differs in an operation's example from that of its message, as it is what the operation does. */
const OUTCOMES: Readonly<Record<string, JsonObject>> = {
  updatePaymentLink: { description: "Running shoes, blue", updated_at: MOMENT + 60 },
  cancelPaymentLink: { status: "canceled", updated_at: MOMENT + 60 },
  reactivatePaymentLink: { updated_at: MOMENT + 60 },
  disableWebhookEndpoint: { status: "disabled", disabled_reason: "manual" },
  rotateWebhookSecret: { previous_secret_expires_at: MOMENT + DAY_SECONDS },
  sendTestEvent: {
    status: "pending",
    attempt_count: 0,
    next_attempt_at: MOMENT,
    last_status_code: null,
    event_type: "webhook.test",
    type: "webhook.test",
  },
};

/** Returns the example of an operation's answer. */
export function withOutcome(operationId: string, sample: JsonObject): JsonObject {
  return { ...sample, ...OUTCOMES[operationId] };
}
