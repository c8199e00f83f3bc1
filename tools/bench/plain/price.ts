import { typeid } from "typeid-js";
import { computePrice, isNetPositive, type Price } from "../../../src/pricing/price.ts";
import { refusal, ruleOf, settingsOf } from "./context.ts";

type Rule = Awaited<ReturnType<typeof ruleOf>>;

/** A price for PIX with what it was computed from. */
export interface Priced {
  readonly id: string;
  readonly price: Price;
  readonly amountMinor: bigint;
  readonly currency: "BRL" | "USD";
  readonly feeHandling: "absorb" | "pass_through";
  readonly rule: Rule;
}

/** Returns the price of an amount by PIX now. */
export async function priceNow(
  tenantId: string,
  amount: number | string,
  currency: "BRL" | "USD",
  feeHandling: "absorb" | "pass_through",
): Promise<Priced> {
  const { payout_currency: payoutCurrency } = await settingsOf(tenantId);
  const rule = await ruleOf("pix", "BRL");
  const amountMinor = BigInt(amount);
  const price = computePrice({
    amountMinor,
    currency,
    payoutCurrency,
    method: "pix",
    installments: 1,
    feeHandling,
    rule,
    rateMicros: null,
    iof: { ppm: 0n, enabled: false },
  });
  if (!isNetPositive(price)) throw refusal(400, "merchant_net_not_positive", "Too small.");
  return { id: typeid("prc").toString(), price, amountMinor, currency, feeHandling, rule };
}

/** Returns the values of INSERT_PRICE. */
export function priceValues(tenantId: string, priced: Priced, now: Date): unknown[] {
  const { id, price, amountMinor, currency, feeHandling, rule } = priced;
  return [
    tenantId,
    id,
    amountMinor,
    currency,
    "pix",
    1,
    feeHandling,
    rule.id,
    rule.percentPpm,
    rule.minMinor,
    rule.maxMinor,
    rule.surchargePpm[0],
    0n,
    price.pricingCurrency,
    price.baseMinor,
    price.grossMinor,
    price.netMinor,
    price.percentAmountMinor,
    price.fixedMinor,
    price.rawTotalMinor,
    price.serviceFeeMinor,
    price.installmentSurchargeMinor,
    price.iofAmountMinor,
    price.totalFeeMinor,
    price.payerTotalMinor,
    price.receiverNetMinor,
    price.firstInstallmentMinor,
    price.otherInstallmentMinor,
    price.minApplied,
    price.maxApplied,
    price.iofApplicable,
    price.iofEnabled,
    price.payerCurrency,
    price.receiverCurrency,
    now,
  ];
}
