import type { Checkout, CheckoutOption } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { FeeHandling } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import type { PageContext } from "../page-context.ts";

/**
 * Returns what a total is made of: the product at the link's price, with what it is in the currency of the other parts, and
 * each part of the fee that the payer bears.
 */
export function priceParts({ t, format }: PageContext, link: Checkout, option: CheckoutOption): Html {
  const { productAmount, serviceFee, installmentInterest, iofAmount, pricingCurrency } = option;
  const fees = [
    ["fee", serviceFee],
    ["interest", installmentInterest],
    ["iof", iofAmount],
  ] as const;
  const isBorne = option.feeHandling === FeeHandling.PASS_THROUGH;
  const lines = [["product", productAmount] as const, ...(isBorne ? fees : [])];
  const isConverted = link.currency !== pricingCurrency;
  const asked = isConverted ? `${format.money(link.amount, link.currency)} = ` : "";
  return html`${lines.map(([name, amount]) =>
    amount === 0n
      ? ""
      : html`<div>
          <dt>${t(name === "product" ? "product_amount" : name)}</dt>
          <dd data-${name}="${amount}">
            ${name === "product" ? asked : ""}${format.money(amount, pricingCurrency)}
          </dd>
        </div>`,
  )}`;
}
