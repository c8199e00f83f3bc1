import type { RefundRefusal } from "../../contract/refund-refusals.ts";
import type { PaymentExceptionRow } from "../checkout/entities.ts";
import type { PaymentRow } from "../ledger/entities.ts";
import type { BookedPrice } from "../ledger/postings.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import type { PaymentMethod } from "../pricing/fee-rule.ts";

const PERIOD_SECONDS = 90 * 86_400;

/** Refuses money that cannot be given back by a request. Errors: invalid_request, refund_period_over. */
export function requireRefundable(method: PaymentMethod, paidAt: Date, now: Date): void {
  if (method === "ted") {
    throw refusal(
      "bank_transfer",
      "A bank transfer cannot be refunded here: send the money back by a transfer.",
    );
  }
  if (now > secondsAfter(paidAt, PERIOD_SECONDS)) {
    throw new PaylinkError("refund_period_over", "A payment can be refunded for 90 days.");
  }
}

/** Returns what is left of a payment to be given back, in centavos. What is under way is not left. */
export function leftOfPayment(
  { refundReservedMinor }: Pick<PaymentRow, "refundReservedMinor">,
  { payerTotalMinor }: Pick<BookedPrice, "payerTotalMinor">,
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
  if (leftMinor <= 0n) throw refusal("nothing_left", "amount: nothing is left to be given back.");
  if (askedMinor !== undefined && askedMinor > leftMinor) {
    const message = `amount must be at most ${leftMinor}, which is left to be given back.`;
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
