import type { RefundRefusal } from "../../contract/refund-refusals.ts";
import type { PaymentExceptionRow } from "../checkout/entities.ts";
import type { PaymentRow } from "../ledger/entities.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import { utcText } from "../platform/time/timestamps.ts";
import type { PaymentMethod } from "../pricing/fee-rule.ts";

const PERIOD_SECONDS = 90 * 86_400;
const NOTHING_LEFT =
  "amount: nothing is left to be given back: all was given back, or is under way, as the payment's refunds say.";

/** Refuses a payment that took no money, or not yet. Error: invalid_request. */
export function requireSucceeded({ status }: Pick<PaymentRow, "status">): void {
  if (status === "succeeded") return;
  const isOpen = status === "pending" || status === "processing";
  const next = isOpen ? "wait until it has succeeded" : "it took no money";
  throw refusal(
    "not_succeeded",
    `The payment is ${status}, and only one that succeeded can be refunded: ${next}.`,
  );
}

/** Refuses money that cannot be given back by a request. Errors: invalid_request, refund_period_over. */
export function requireRefundable(method: PaymentMethod, paidAt: Date, now: Date): void {
  if (method === "ted") {
    throw refusal(
      "bank_transfer",
      "A bank transfer cannot be refunded here: send the money back by a transfer.",
    );
  }
  const end = secondsAfter(paidAt, PERIOD_SECONDS);
  if (now > end) {
    const message = `A payment can be refunded for 90 days, until ${utcText(end)} here: pay the payer back by other means.`;
    throw new PaylinkError("refund_period_over", message);
  }
}

/** Returns what is left of a payment to be given back, in centavos. What is under way is not left. */
export function leftOfPayment(
  { refundReservedMinor }: Pick<PaymentRow, "refundReservedMinor">,
  { payerTotalMinor }: { readonly payerTotalMinor: bigint },
): bigint {
  return payerTotalMinor - refundReservedMinor;
}

/** Returns what is left of an exception to be given back, in centavos. */
export function leftOfException({
  proposedRefundMinor,
  refundReservedMinor,
}: Pick<PaymentExceptionRow, "proposedRefundMinor" | "refundReservedMinor">): bigint {
  return proposedRefundMinor - refundReservedMinor;
}

/** Returns the amount to give back: the asked one, or all that is left. Error: invalid_request on amount. */
export function amountWithin(askedMinor: bigint | undefined, leftMinor: bigint): bigint {
  if (leftMinor <= 0n) throw refusal("nothing_left", NOTHING_LEFT);
  if (askedMinor !== undefined && askedMinor > leftMinor) {
    const message = `amount must be at most ${leftMinor}, which is left to be given back: the rest was given back, or is under way.`;
    throw refusal("more_than_left", message, { left: String(leftMinor) });
  }
  return askedMinor ?? leftMinor;
}

const OF_AMOUNT: ReadonlySet<RefundRefusal> = new Set(["nothing_left", "more_than_left"]);

/** Returns the error of a refund that is refused: invalid_request, on amount if another amount could be given back. */
export function refusal(
  why: RefundRefusal,
  message: string,
  facts: Readonly<Record<string, string>> = {},
): PaylinkError {
  const param = OF_AMOUNT.has(why) ? "amount" : null;
  return new PaylinkError("invalid_request", message, param, { facts: { refusal: why, ...facts } });
}
