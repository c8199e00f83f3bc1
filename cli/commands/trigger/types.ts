/** The types of events that `trigger` makes happen: all that are delivered. */
export const TRIGGERED_TYPES = [
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
  "webhook.test",
] as const;

export type TriggeredType = (typeof TRIGGERED_TYPES)[number];

/** What is made to happen. */
export interface Triggered {
  readonly type: TriggeredType;
  /** Centavos of BRL. */
  readonly amount: bigint;
  /** What happens to cards alone happens to a card. */
  readonly method: "pix" | "card";
}
