import type { Checkout, CheckoutOption } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { FeeHandling, PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import type { MessageKey } from "../messages.ts";
import { heading, page } from "../page.ts";
import type { PageContext } from "../page-context.ts";
import { CARD_CHOICE, methodKey } from "../payment-option.ts";
import { isProductPrice, shownPrices, type ShownPrices } from "../shown-prices.ts";
import { greatestText, isUneven, methodName, PAY_BUTTONS, priceHeld } from "./choose.ts";
import { askedOf } from "./payer-fields.ts";

const HELD_SECONDS = 900n;

/**
 * Returns the first page of a link: the first method is chosen, with its button, and each button has the total where it is
 * not the product's amount. `hasChanged`: the payer has seen other totals.
 */
export function landingPage(context: PageContext, checkout: Checkout, hasChanged = false): Html {
  const { t } = context;
  const prices = shownPrices(checkout);
  const title = checkout.description ?? checkout.merchantName;
  const content = prices ? choice(context, checkout, prices, hasChanged) : refusal(context, checkout);
  return page(context, title, html`${heading(t("how_to_pay"))} ${content}`, checkout, { isFirst: true });
}

function refusal({ t }: PageContext, { isUnconnected, paymentMethods }: Checkout): Html {
  const priceless = paymentMethods.length > 0 ? "rate_missing" : "not_offered";
  return html`<p class="note" role="status">${t(isUnconnected ? "not_connected" : priceless)}</p>`;
}

function choice(
  context: PageContext,
  checkout: Checkout,
  { options, rateMicros, at, version }: ShownPrices,
  hasChanged: boolean,
): Html {
  const { t, format } = context;
  const [first = [], ...others] = byMethod(options);
  const isPassed = options.some(({ feeHandling }) => feeHandling === FeeHandling.PASS_THROUGH);
  return html`${hasChanged ? html`<p class="note" role="alert">${t("prices_changed")}</p>` : ""}
    <form method="post" action="/pay/${checkout.linkId}/sessions">
      <input type="hidden" name="prices" value="${version}" />
      ${chosen(context, first)} ${button(context, checkout, first, true)}
      ${others.length > 0 ? html`<p class="or">${t("or")}</p>` : ""}
      ${others.map((one) => button(context, checkout, one, false))}
    </form>
    ${isPassed ? html`<p class="quiet">${t("fee_notice")}</p>` : ""}
    ${checkout.session ? priceHeld(context, checkout) : ""}
    ${
      rateMicros !== undefined && at && !checkout.session
        ? html`<p class="quiet">${t("rate_at", { rate: format.rate(rateMicros), time: format.time(at) })}</p>`
        : ""
    }
    <p class="quiet">${t(isHeldInFull(checkout) ? "show_prices_help" : "nothing_charged")}</p>`;
}

/** Returns the options of each method, in the link's order. Pix comes first: it is chosen where it is offered. */
function byMethod(options: readonly CheckoutOption[]): CheckoutOption[][] {
  const groups = Object.values(Object.groupBy(options, ({ paymentMethod }) => `method ${paymentMethod}`));
  return groups
    .map((group = []) => group)
    .toSorted(([one], [other]) => Number(isPix(other)) - Number(isPix(one)));
}

const isPix = (option: CheckoutOption | undefined): boolean => option?.paymentMethod === PaymentMethod.PIX;

function chosen(context: PageContext, [option]: readonly CheckoutOption[]): Html | "" {
  if (!option) return "";
  const name = methodName(context, option.paymentMethod);
  return html`<p class="way chosen">
    <span class="name">${name}</span> <small>${helpOf(context, option.paymentMethod)}</small>
  </p>`;
}

function button(
  context: PageContext,
  checkout: Checkout,
  options: readonly CheckoutOption[],
  isFirst: boolean,
): Html | "" {
  const [option] = options;
  if (!option) return "";
  const { paymentMethod: method } = option;
  const isTold = options.every((one) => isProductPrice(checkout, one));
  const name = isFirst ? context.t(firstStep(checkout, method)) : methodName(context, method);
  return html`<button class="${isFirst ? "primary" : "other"}" name="way" value="${choiceOf(method)}">
    ${isTold ? name : totalText(context, options)}
  </button>`;
}

/** Returns the method with its total, a card's with its fewest and its most installments. */
function totalText(context: PageContext, options: readonly CheckoutOption[]): string {
  const { t, format } = context;
  const [least] = options;
  const most = options.at(-1);
  if (!least || !most) return "";
  const total = format.money(least.payerTotal, least.payerCurrency);
  const { paymentMethod: method, installments: n } = most;
  if (method !== PaymentMethod.CARD) return `${methodName(context, method)} · ${total}`;
  if (n === 1) return t("card_total", { total });
  const amount = greatestText(context, most);
  if (least === most) return t(isUneven(most) ? "card_total_uneven" : "card_total_in", { total, n, amount });
  return t(isUneven(most) ? "card_total_from_uneven" : "card_total_from", { total, n, amount });
}

/** A card has its number of installments still to be chosen. */
function choiceOf(method: PaymentMethod): string {
  return method === PaymentMethod.CARD ? CARD_CHOICE : methodKey(method, 1);
}

/** Returns what the method's button says: of Pix, whether there is a page to fill in before the code. */
function firstStep(checkout: Checkout, method: PaymentMethod): MessageKey {
  const isAsked = askedOf(checkout, method).length > 0;
  if (method === PaymentMethod.PIX && isAsked) return "pay_pix_next";
  return PAY_BUTTONS[method] ?? "continue";
}

function helpOf({ t }: PageContext, method: PaymentMethod): string {
  if (method === PaymentMethod.CARD) return t("card_help");
  return t(method === PaymentMethod.TED ? "ted_help" : "pix_help");
}

/** Returns whether the button opens a session that holds its prices for its whole time: the link does not end before. */
function isHeldInFull({ session, expiresAt, now }: Checkout): boolean {
  if (session) return false;
  return !expiresAt || (now !== undefined && expiresAt.seconds - now.seconds >= HELD_SECONDS);
}
