import {
  CardStyle,
  type Checkout,
  type CheckoutOption,
} from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { FeeHandling, PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { heading, page } from "../page.ts";
import type { MessageKey } from "../messages.ts";
import type { PageContext } from "../page-context.ts";
import { html, type Html } from "../../pages/html.ts";
import { cardReach, interestOf } from "../interest.ts";
import { optionKey } from "../payment-option.ts";

// The script puts the chosen option's total in its place.
const AMOUNT = "{amount}";

/** Returns the page with every payment option and its total. The first one is chosen, or the first of `method`. */
export function choosePage(context: PageContext, checkout: Checkout, method?: PaymentMethod): Html {
  const { t } = context;
  const { session } = checkout;
  const options = session?.options ?? [];
  const [cards, others] = [options.filter(isCard), options.filter((option) => !isCard(option))];
  const inOrder = [...others, ...cards];
  const chosen = inOrder.find(({ paymentMethod }) => paymentMethod === method) ?? inOrder[0];
  const row = (option: CheckoutOption): Html => optionRow(context, checkout, option, option === chosen);
  return page(
    context,
    t("how_to_pay"),
    html`${heading(t("how_to_pay"))} ${priceHeld(context, checkout)}
      <form method="get" action="/pay/${checkout.linkId}/${session?.id ?? ""}">
        <fieldset class="ways">
          <legend class="hidden">${t("how_to_pay")}</legend>
          ${others.map(row)}
          ${
            cards.length > 1
              ? html`<details class="cards" ${chosen && isCard(chosen) ? html` open` : ""}>
                  <summary class="way">
                    <span class="name">${t("card")}</span> <small>${reachText(context, options)}</small>
                  </summary>
                  ${cards.map(row)}
                </details>`
              : cards.map(row)
          }
        </fieldset>
        ${chosen?.feeHandling === FeeHandling.PASS_THROUGH ? html`<p class="note">${t("fee_notice")}</p>` : ""}
        <button class="primary" data-pay="${t("continue_amount", { amount: AMOUNT })}">
          ${t("continue")}
        </button>
      </form>`,
    checkout,
    {},
  );
}

/** Returns how many installments a card takes, and up to how many of them cost no more than one payment. */
function reachText({ t }: PageContext, options: readonly CheckoutOption[]): string {
  const { most: n, mostFree } = cardReach(options);
  if (mostFree === undefined) return t("card_up_to", { n });
  if (mostFree === n) return t("card_up_to_free", { n });
  return mostFree === 1 ? t("card_up_to_interest", { n }) : t("card_up_to_mixed", { free: mostFree, n });
}

function isCard({ paymentMethod }: CheckoutOption): boolean {
  return paymentMethod === PaymentMethod.CARD;
}

function optionRow(context: PageContext, checkout: Checkout, option: CheckoutOption, isFirst: boolean): Html {
  const { t, format } = context;
  const total = format.money(option.payerTotal, option.payerCurrency);
  const key = optionKey(option);
  const interest = interestOf(checkout.session?.options ?? [], option);
  const name = isCard(option)
    ? optionName(context, checkout, option)
    : methodName(context, option.paymentMethod);
  const help = isCard(option) ? (interest ? t(interest) : "") : helpOf(context, option.paymentMethod);
  const small = help === "" ? "" : html`<small>${help}</small>`;
  return html`<label class="way"
    ><input type="radio" name="way" value="${key}" ${isFirst ? html` checked` : ""} />
    <span class="name">${name}</span> ${isCard(option) ? small : ""}
    <span class="price" data-way="${key}" data-total="${option.payerTotal}">${total}</span>
    ${isCard(option) ? "" : small}</label
  >`;
}

/** Returns a row's installments, which fit in a line of a phone. Names the card too where it is the only row of it. */
function optionName(context: PageContext, { session }: Checkout, option: CheckoutOption): string {
  const { t } = context;
  const count = session?.options.filter(isCard).length ?? 0;
  if (count === 1) return `${t("card")}, ${installmentsText(context, option)}`;
  const key = isUneven(option) ? "installment_row_uneven" : "installment_row";
  return t(key, { n: option.installments, amount: greatestText(context, option) });
}

function helpOf({ t }: PageContext, method: PaymentMethod): string {
  return method === PaymentMethod.TED ? t("ted_help") : t("pix_help");
}

/** What the button says that pays by a method. */
export const PAY_BUTTONS: Readonly<Record<number, MessageKey>> = {
  [PaymentMethod.PIX]: "pay_pix",
  [PaymentMethod.CARD]: "pay_card",
  [PaymentMethod.TED]: "pay_ted",
};

export function methodName({ t }: PageContext, method: PaymentMethod): string {
  if (method === PaymentMethod.CARD) return t("card");
  return method === PaymentMethod.TED ? t("ted") : t("pix");
}

/** Returns "12x de …", with the greatest of the installments: "12x até …" where they differ. */
export function installmentsText(context: PageContext, option: CheckoutOption): string {
  const { installments: n } = option;
  const amount = greatestText(context, option);
  if (n === 1) return context.t("installment_one", { amount });
  return context.t(isUneven(option) ? "installment_uneven" : "installment_many", { n, amount });
}

/** Returns whether the first installment differs from the others. */
export function isUneven({ installments, firstInstallment, otherInstallment }: CheckoutOption): boolean {
  return installments > 1 && firstInstallment !== otherInstallment;
}

/** Returns the first installment, which has what is left over: none is greater. */
export function greatestText({ format }: PageContext, option: CheckoutOption): string {
  return format.money(option.firstInstallment, option.payerCurrency);
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
  if (!isUneven(option) || isLive) return "";
  const [first, other] = [firstInstallment, otherInstallment].map((one) => format.money(one, payerCurrency));
  return t("installment_first", { first: first ?? "", other: other ?? "" });
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
