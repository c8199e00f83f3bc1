import type { Checkout, CheckoutOption } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { FeeHandling, PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { optionKey } from "../payment-option.ts";
import { isRequiredGiven } from "./payer-fields.ts";

type Kind = "primary" | "plain";

/**
 * Returns a button that goes on with an option after a payment that has ended: to its code at once where nothing is left to
 * ask, else to its page. In a session whose time is over it opens the next one, unless the prices are others by then: the
 * payer is shown them first. `isSeen`: the payer has agreed to this total before.
 */
export function anew(
  checkout: Checkout,
  option: CheckoutOption,
  {
    label,
    kind = "primary",
    isSeen,
  }: { readonly label: string; readonly kind?: Kind; readonly isSeen: boolean },
): Html {
  const { linkId, session } = checkout;
  const way = optionKey(option);
  const isAgreed = isSeen || option.feeHandling !== FeeHandling.PASS_THROUGH;
  const total = isAgreed
    ? html`<input type="hidden" name="acknowledged_total" value="${option.payerTotal}" />`
    : "";
  const button = html`<button class="${kind}">${label}</button>`;
  if (!session?.isOpen) {
    return html`<form method="post" action="/pay/${linkId}/sessions">
      <input type="hidden" name="prices" value="${session?.pricesVersion ?? ""}" />
      <input type="hidden" name="way" value="${way}" />
      ${total} ${button}
    </form>`;
  }
  // What is optional was asked before in this session.
  const isKnown = isRequiredGiven(checkout, option.paymentMethod);
  if (option.paymentMethod === PaymentMethod.CARD || !isKnown || !isAgreed) {
    return html`<p><a class="button ${kind}" href="/pay/${linkId}/${session.id}?way=${way}">${label}</a></p>`;
  }
  return html`<form method="post" action="/pay/${linkId}/${session.id}/payments">
    <input type="hidden" name="way" value="${way}" />
    ${total} ${button}
  </form>`;
}
