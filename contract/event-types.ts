/** The types of events that an endpoint may subscribe to. */
export const EVENT_TYPES = [
  "payment.succeeded",
  "payment.failed",
  "payment.pending",
  "link.created",
  "link.completed",
  "link.deactivated",
  "link.expired",
  "refund.succeeded",
  "refund.failed",
  "payment.returned",
  "payment.return_reversed",
  "payment.disputed",
  "payment.dispute_closed",
] as const;

/** Each stands for all types of its kind in an endpoint's list, also for those that later releases add. */
export const EVENT_KINDS = ["payment.*", "link.*", "refund.*"] as const;

/** The types of events that are sent: `webhook.test` to one endpoint on request. */
export const DELIVERED_TYPES = [...EVENT_TYPES, "webhook.test"] as const;

/** The types of events that are recorded and sent to no endpoint. */
export const INTERNAL_TYPES = ["payment.fees_acknowledged", "payment.exception_recorded"] as const;

export type DeliveredType = (typeof DELIVERED_TYPES)[number];
export type EventType = DeliveredType | (typeof INTERNAL_TYPES)[number];
