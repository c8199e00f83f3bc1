import { credit, debit, type Account, type BookedPrice, type Line } from "./postings.ts";

/**
 * Who bears the fee of money that goes back. "merchant": the fee is not given back, and the whole amount is the
 * merchant's. "service": the fee goes back in proportion, and so does the tax.
 */
export type RefundFeeRule = "merchant" | "service";

/** The amount that has gone back, in centavos, before and after the money that is booked. */
export interface RefundStep {
  readonly beforeMinor: bigint;
  readonly afterMinor: bigint;
}

/**
 * Returns the lines of money that went back to the payer. Each account's sum over all steps depends on the sum of the
 * amounts alone, so that any split of a refund books the same in the end, and a whole one under "service" takes back
 * every line of the success. Values of the price are divided in proportion, never priced again.
 */
export function refundLines(price: BookedPrice, step: RefundStep, rule: RefundFeeRule): Line[] {
  const { payerTotalMinor: total, pricingCurrency: pricing, receiverCurrency: payout } = price;
  /** The part of a value of the price that belongs to this step. */
  const part = (whole: bigint): bigint =>
    (step.afterMinor * whole) / total - (step.beforeMinor * whole) / total;
  const refundMinor = step.afterMinor - step.beforeMinor;
  const lines = [credit("provider_clearing", "BRL", refundMinor)];
  if (pricing === "USD") {
    lines.push(debit("fx_position", "BRL", refundMinor));
    lines.push(credit("fx_position", "USD", part(price.grossMinor)));
  }
  const fees =
    rule === "merchant"
      ? []
      : [
          debit("revenue.service", pricing, part(price.serviceFeeMinor)),
          debit("revenue.installment", pricing, part(price.installmentSurchargeMinor)),
          debit("tax_payable.iof", pricing, part(price.iofAmountMinor)),
        ];
  lines.push(...fees);
  const given = fees.reduce((sum, { debitMinor }) => sum + debitMinor, 0n);
  const borneMinor = (pricing === "USD" ? part(price.grossMinor) : refundMinor) - given;
  if (pricing === payout) lines.push(borne("merchant_available", payout, borneMinor));
  else {
    lines.push(borne("fx_position", pricing, borneMinor));
    const paidOut = payoutOf(price, step, rule);
    lines.push(credit("fx_position", payout, paidOut));
    lines.push(debit("merchant_available", payout, paidOut));
  }
  return lines.filter(({ debitMinor, creditMinor }) => debitMinor !== 0n || creditMinor !== 0n);
}

/** Returns what a step takes from the merchant in the payout currency, at the rate of the price's own net. */
function payoutOf(price: BookedPrice, { beforeMinor, afterMinor }: RefundStep, rule: RefundFeeRule): bigint {
  const { payerTotalMinor: total, grossMinor, netMinor, receiverNetMinor } = price;
  // Under "merchant" the fee's worth is taken, too: the gross at the rate of the net.
  const wholeMinor = rule === "service" ? receiverNetMinor : (grossMinor * receiverNetMinor) / netMinor;
  return (afterMinor * wholeMinor) / total - (beforeMinor * wholeMinor) / total;
}

/** A negative amount goes to the other side: the parts of a step of a centavo may be two centavos. */
function borne(account: Account, currency: Line["currency"], amountMinor: bigint): Line {
  return amountMinor < 0n ? credit(account, currency, -amountMinor) : debit(account, currency, amountMinor);
}
