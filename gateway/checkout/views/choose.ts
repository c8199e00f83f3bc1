import {
  CardStyle,
  type Checkout,
  type CheckoutOption,
} from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { FeeHandling, PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { action, heading, page, type PageContext } from "../page.ts";
import { html, type Html } from "../../pages/html.ts";
import { interestOf } from "../interest.ts";
import { optionKey } from "../payment-option.ts";

/** Returns the first page of a link. No price is locked yet. */
export function landingPage(context: PageContext, checkout: Checkout): Html {
  const { t } = context;
  return page(
    context,
    checkout.description ?? checkout.merchantName,
    html`${heading(t("how_to_pay"))}
      <ul class="ways quiet-ways">
        ${checkout.paymentMethods.map((method) => html`<li>${methodName(context, method)}</li>`)}
      </ul>
      ${
        checkout.paymentMethods.length === 0
          ? html`<p class="note" role="status">
              ${t(checkout.isUnconnected ? "not_connected" : "not_offered")}
            </p>`
          : html`${action(`/pay/${checkout.linkId}/sessions`, t("show_prices"))}
              <p class="quiet">${t("show_prices_help")}</p>`
      }`,
    checkout,
  );
}

/** Returns the page with every payment option and its total. */
export function choosePage(context: PageContext, checkout: Checkout): Html {
  const { t } = context;
  const { session } = checkout;
  const options = session?.options ?? [];
  const [cards, others] = [options.filter(isCard), options.filter((option) => !isCard(option))];
  const [first] = [...others, ...cards];
  const row = (option: CheckoutOption): Html => optionRow(context, checkout, option, option === first);
  return page(
    context,
    t("how_to_pay"),
    html`${heading(t("how_to_pay"))} ${priceHeld(context, checkout)}
      <form method="get" action="/pay/${checkout.linkId}/${session?.id ?? ""}">
        ${
          others.length > 0
            ? html`<fieldset class="ways">
                <legend class="hidden">${t("how_to_pay")}</legend>
                ${others.map(row)}
              </fieldset>`
            : ""
        }
        ${
          cards.length > 0
            ? html`<fieldset class="ways">
                <legend>${t("card")}</legend>
                ${cards.map(row)}
              </fieldset>`
            : ""
        }
        ${first?.feeHandling === FeeHandling.PASS_THROUGH ? html`<p class="note">${t("fee_notice")}</p>` : ""}
        <button class="primary">${t("continue")}</button>
      </form>`,
    checkout,
  );
}

function isCard({ paymentMethod }: CheckoutOption): boolean {
  return paymentMethod === PaymentMethod.CARD;
}

function optionRow(context: PageContext, checkout: Checkout, option: CheckoutOption, isFirst: boolean): Html {
  const { format } = context;
  const total = format.money(option.payerTotal, option.payerCurrency);
  const key = optionKey(option);
  const name = isCard(option) ? installmentsText(context, option) : methodName(context, option.paymentMethod);
  const help = isCard(option)
    ? installmentsHelp(context, checkout, option)
    : helpOf(context, option.paymentMethod);
  return html`<label class="way"
    ><input type="radio" name="way" value="${key}" ${isFirst ? html` checked` : ""} />
    <span class="name">${name}${help === "" ? "" : html` <small>${help}</small>`}</span>
    <span class="price" data-way="${key}" data-total="${option.payerTotal}">${total}</span></label
  >`;
}

function helpOf({ t }: PageContext, method: PaymentMethod): string {
  return method === PaymentMethod.TED ? t("ted_help") : t("pix_help");
}

export function methodName({ t }: PageContext, method: PaymentMethod): string {
  if (method === PaymentMethod.CARD) return t("card");
  return method === PaymentMethod.TED ? t("ted") : t("pix");
}

/** Returns "12x de …". */
export function installmentsText({ t, format }: PageContext, option: CheckoutOption): string {
  const { installments: n, payerCurrency, otherInstallment } = option;
  const amount = format.money(otherInstallment, payerCurrency);
  return n === 1 ? t("installment_one", { amount }) : t("installment_many", { n, amount });
}

/** Returns whether installments cost more, and the first one's amount if it differs; "" if neither is to be said. */
export function installmentsHelp(context: PageContext, checkout: Checkout, option: CheckoutOption): string {
  const interest = interestOf(checkout.session?.options ?? [], option);
  const parts = [interest && context.t(interest), firstInstallmentText(context, checkout, option)];
  return parts.filter(Boolean).join(", ");
}

/**
 * Returns the amount of the first installment if it differs from the others, else "". A live provider decides which one has
 * the centavos that are left: the total alone is promised then.
 */
function firstInstallmentText(
  { t, format }: PageContext,
  { cardSetup }: Checkout,
  option: CheckoutOption,
): string {
  const { payerCurrency, firstInstallment, otherInstallment } = option;
  const isLive = cardSetup?.style === CardStyle.REDIRECT || cardSetup?.tokenUrl !== undefined;
  if (firstInstallment === otherInstallment || isLive) return "";
  return t("installment_first", { first: format.money(firstInstallment, payerCurrency) });
}

/** Returns until when the prices hold: a time, which the script turns into a countdown. */
export function priceHeld({ t, format }: PageContext, { session, now }: Checkout): Html | "" {
  const { expiresAt, fx } = session ?? {};
  if (!expiresAt || !now) return "";
  return html`<div class="held">
    <p>
      ${t("price_held_until")}
      <time data-countdown="${expiresAt.seconds - now.seconds}" data-label="${t("price_held")}"
        >${format.time(expiresAt)}</time
      >
    </p>
    ${fx ? html`<p>${t("rate", { rate: format.rate(fx.rate) })}</p>` : ""}
  </div>`;
}
