import type { PriceValues } from "../pricing/entities.ts";
import type { Currency } from "../pricing/fee-rule.ts";

export type Account =
  | "provider_clearing"
  | "merchant_payable"
  | "merchant_available"
  | "revenue.service"
  | "revenue.installment"
  | "tax_payable.iof"
  | "fx_position"
  | "provider_receivable"
  | "provider_balance"
  | "provider_fee"
  | "provider_fee.anticipation";

/** One line of an entry, in the smallest unit of its currency. Exactly one side is above 0. */
export interface Line {
  readonly account: Account;
  readonly currency: Currency;
  readonly debitMinor: bigint;
  readonly creditMinor: bigint;
}

/** The columns of a price row that entries are made of. */
export type BookedPrice = Pick<
  PriceValues,
  | "pricingCurrency"
  | "grossMinor"
  | "netMinor"
  | "serviceFeeMinor"
  | "installmentSurchargeMinor"
  | "iofAmountMinor"
  | "payerTotalMinor"
  | "receiverNetMinor"
  | "receiverCurrency"
>;

/** Returns the lines that a payment's success books. They are values of its price; nothing is computed. */
export function successLines(price: BookedPrice): Line[] {
  const { pricingCurrency: pricing, receiverCurrency: payout } = price;
  const lines = [debit("provider_clearing", "BRL", price.payerTotalMinor)];
  // The pricing currency was bought with the payer's: the position shows both sides.
  if (pricing === "USD") {
    lines.push(credit("fx_position", "BRL", price.payerTotalMinor));
    lines.push(debit("fx_position", "USD", price.grossMinor));
  }
  if (pricing === payout) lines.push(credit("merchant_payable", payout, price.netMinor));
  else {
    lines.push(credit("fx_position", pricing, price.netMinor));
    lines.push(debit("fx_position", payout, price.receiverNetMinor));
    lines.push(credit("merchant_payable", payout, price.receiverNetMinor));
  }
  lines.push(credit("revenue.service", pricing, price.serviceFeeMinor));
  lines.push(credit("revenue.installment", pricing, price.installmentSurchargeMinor));
  lines.push(credit("tax_payable.iof", pricing, price.iofAmountMinor));
  return lines.filter(({ debitMinor, creditMinor }) => debitMinor !== 0n || creditMinor !== 0n);
}

export function debit(account: Account, currency: Currency, amountMinor: bigint): Line {
  return { account, currency, debitMinor: amountMinor, creditMinor: 0n };
}

export function credit(account: Account, currency: Currency, amountMinor: bigint): Line {
  return { account, currency, debitMinor: 0n, creditMinor: amountMinor };
}
