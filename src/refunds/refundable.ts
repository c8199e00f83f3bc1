import { invalidRequest, PaylinkError } from "../platform/errors.ts";
import { secondsAfter } from "../platform/clock.ts";
import type { PaymentMethod } from "../pricing/fee-rule.ts";

const PERIOD_SECONDS = 90 * 86_400;

/** Refuses money that cannot be given back by a request. Errors: invalid_request, refund_period_over. */
export function requireRefundable(method: PaymentMethod, paidAt: Date, now: Date): void {
  if (method === "ted") {
    throw invalidRequest(null, "A bank transfer cannot be refunded here: send the money back by a transfer.");
  }
  if (now > secondsAfter(paidAt, PERIOD_SECONDS)) {
    throw new PaylinkError("refund_period_over", "A payment can be refunded for 90 days.");
  }
}

/** Returns the amount to give back: the asked one, or all that is left. Error: invalid_request on amount. */
export function amountWithin(askedMinor: bigint | undefined, leftMinor: bigint): bigint {
  if (leftMinor <= 0n) throw invalidRequest("amount", "amount: nothing is left to be given back.");
  if (askedMinor !== undefined && askedMinor > leftMinor) {
    throw invalidRequest("amount", `amount must be at most ${leftMinor}, which is left to be given back.`);
  }
  return askedMinor ?? leftMinor;
}
