import { PaymentState, PaymentStatus, type Payment } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Html } from "../../pages/html.ts";
import type { MessageKey } from "../messages.ts";
import { badge, type Tone } from "../parts/show.ts";
import type { Guest } from "../visit.ts";

const STATES: Readonly<Record<PaymentState, readonly [Tone, MessageKey]>> = {
  [PaymentState.UNSPECIFIED]: ["plain", "none"],
  [PaymentState.PENDING]: ["warn", "status_pending"],
  [PaymentState.PROCESSING]: ["warn", "status_processing"],
  [PaymentState.SUCCEEDED]: ["good", "status_succeeded"],
  [PaymentState.PARTIALLY_REFUNDED]: ["warn", "status_partially_refunded"],
  [PaymentState.REFUNDED]: ["plain", "status_refunded"],
  [PaymentState.FAILED]: ["bad", "status_failed"],
  [PaymentState.EXPIRED]: ["plain", "status_expired"],
};

const UNPAID: Readonly<Partial<Record<PaymentStatus, PaymentState>>> = {
  [PaymentStatus.PENDING]: PaymentState.PENDING,
  [PaymentStatus.PROCESSING]: PaymentState.PROCESSING,
  [PaymentStatus.FAILED]: PaymentState.FAILED,
  [PaymentStatus.EXPIRED]: PaymentState.EXPIRED,
};

/** Returns what became of a payment and of its money. */
export function stateOf({
  status,
  grossAmount,
  refundedAmount = 0n,
}: Pick<Payment, "status" | "grossAmount" | "refundedAmount">): PaymentState {
  const unpaid = UNPAID[status];
  if (unpaid !== undefined) return unpaid;
  if (refundedAmount === 0n) return PaymentState.SUCCEEDED;
  return refundedAmount < grossAmount ? PaymentState.PARTIALLY_REFUNDED : PaymentState.REFUNDED;
}

/** Returns the state in one word. */
export function stateBadge(guest: Guest, state: PaymentState): Html {
  return badge(STATES[state]?.[0] ?? "plain", stateText(guest, state));
}

export function stateText({ t }: Guest, state: PaymentState): string {
  return t(STATES[state]?.[1] ?? "none");
}
