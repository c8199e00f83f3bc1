import {
  CardStyle,
  type Checkout,
  type CheckoutOption,
} from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { FeeHandling, PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { heading, page } from "../page.ts";
import type { PageContext } from "../page-context.ts";
import { html, type Html } from "../../pages/html.ts";
import { optionKey } from "../payment-option.ts";
import type { MessageKey } from "../messages.ts";
import { DETAILS } from "../form.ts";
import { payerFields, type Entered } from "./payer-fields.ts";
import { priceParts } from "./price-parts.ts";
import { testCard, typedCard } from "./typed-card.ts";
import { installmentsHelp, installmentsText, methodName, priceHeld } from "./choose.ts";

// The whole form first, the total last.
const FIELDS = ["", ...DETAILS, "card_token"];

/** What the button says that pays by a method. */
const AMOUNT_BUTTONS: Readonly<Record<number, MessageKey>> = {
  [PaymentMethod.PIX]: "pay_pix_amount",
  [PaymentMethod.CARD]: "pay_card_amount",
  [PaymentMethod.TED]: "pay_ted_amount",
};

/** Returns the page of one payment option: its parts, its total, and the fields that the payer fills in. */
export function confirmPage(
  context: PageContext,
  checkout: Checkout,
  option: CheckoutOption,
  entered: Entered,
): Html {
  const { t } = context;
  const sessionId = checkout.session?.id ?? "";
  const base = `/pay/${checkout.linkId}/${sessionId}`;
  const isCard = option.paymentMethod === PaymentMethod.CARD;
  const isTyped = isCard && checkout.cardSetup?.tokenUrl !== undefined;
  const amount = context.format.money(option.payerTotal, option.payerCurrency);
  const others = (checkout.session?.options.length ?? 0) > 1;
  return page(
    context,
    t("total_to_pay"),
    html`${heading(methodName(context, option.paymentMethod))} ${problemList(context, entered)}
      ${priceHeld(context, checkout)} ${totals(context, checkout, option)}
      <form method="post" action="${base}/payments" novalidate>
        <input type="hidden" name="way" value="${optionKey(option)}" />
        ${payerFields(context, checkout, option, entered)}
        ${isCard ? cardFields(context, checkout, option, entered) : ""}
        ${option.feeHandling === FeeHandling.PASS_THROUGH ? acknowledgement(context, option, entered) : ""}
        <button class="primary" ${isTyped ? html` disabled` : ""}>
          ${t(AMOUNT_BUTTONS[option.paymentMethod] ?? "pay_pix_amount", { amount })}
        </button>
      </form>
      ${others ? html`<p><a href="${base}?choose=1">${t("change_option")}</a></p>` : ""}`,
    checkout,
    { option },
  );
}

function totals(context: PageContext, checkout: Checkout, option: CheckoutOption): Html {
  const { t, format } = context;
  const { payerTotal, payerCurrency } = option;
  return html`<dl class="lines">
    ${option.feeHandling === FeeHandling.PASS_THROUGH ? priceParts(context, checkout, option) : ""}
    ${
      option.paymentMethod === PaymentMethod.CARD
        ? html`<div>
            <dt>${t("installments")}</dt>
            <dd>
              ${installmentsText(context, option)}
              <small>${installmentsHelp(context, checkout, option)}</small>
            </dd>
          </div>`
        : ""
    }
    <div class="total">
      <dt>${t("total_to_pay")}</dt>
      <dd data-total="${payerTotal}">${format.money(payerTotal, payerCurrency)}</dd>
    </div>
  </dl>`;
}

function acknowledgement({ t, format }: PageContext, option: CheckoutOption, { problems }: Entered): Html {
  const amount = format.money(option.payerTotal, option.payerCurrency);
  const isMissing = problems["acknowledged_total"] !== undefined;
  return html`<p class="note">${t("fee_notice")}</p>
    <label class="tick"
      ><input
        type="checkbox"
        id="acknowledged_total"
        name="acknowledged_total"
        value="${option.payerTotal}"
        required${isMissing ? html` aria-invalid="true" aria-describedby="problems"` : ""}
      />
      <span>${t("acknowledge", { amount })}</span></label
    >`;
}

/** Returns the form of a card: of a real one, of a test card, or none where the provider's page takes it. */
function cardFields(
  context: PageContext,
  checkout: Checkout,
  { installments }: CheckoutOption,
  entered: Entered,
): Html {
  const { t } = context;
  const { cardSetup, session } = checkout;
  if (cardSetup?.style === CardStyle.REDIRECT) {
    const n = cardSetup.maxInstallmentsOfOthers;
    const brands = cardSetup.brands.join(", ");
    return html`${installments > n ? html`<p class="note">${t("card_brands", { n, brands })}</p>` : ""}
      <p class="quiet">${t("card_redirect")}</p>`;
  }
  if (cardSetup?.tokenUrl !== undefined) {
    const isPixOffered = session?.options.some(({ paymentMethod }) => paymentMethod === PaymentMethod.PIX);
    return typedCard(context, checkout, cardSetup.tokenUrl, isPixOffered ?? false, entered);
  }
  return testCard(context, checkout, entered);
}

/** Returns the list of problems with a link to each field. It has the focus. */
function problemList({ t }: PageContext, { problems }: Entered): Html | "" {
  const entries = Object.entries(problems).toSorted(([one], [other]) => placeOf(one) - placeOf(other));
  if (entries.length === 0) return "";
  return html`<div class="problems" id="problems" role="alert" tabindex="-1" autofocus>
    <p>${t("errors_title")}</p>
    <ul>
      ${entries.map(([name, message]) => html`<li>${name === "" ? t(message) : html`<a href="#${name}">${labelOf(t, name)}: ${t(message)}</a>`}</li>`)}
    </ul>
  </div>`;
}

/** Returns a field's place in the order of the page. */
function placeOf(name: string): number {
  const at = FIELDS.indexOf(name);
  return at === -1 ? FIELDS.length : at;
}

function labelOf(t: PageContext["t"], name: string): string {
  if (name === "acknowledged_total") return t("total");
  if (name === "card_token") return t("card_details");
  return t(name as MessageKey);
}
