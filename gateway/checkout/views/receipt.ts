import type { Checkout, CheckoutPayment } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentLinkStatus } from "../../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import type { PageContext } from "../page-context.ts";
import { merchantFacts } from "./brand.ts";
import { webAddress } from "../../../contract/web-address.ts";
import { installmentsHelp, installmentsText, methodName } from "./choose.ts";
import { priceParts } from "./price-parts.ts";
import { receiptMailForm, type ReceiptMail } from "./receipt-mail.ts";
import { exceptionNote, isPaidTwice, statePage } from "./states.ts";

/** Returns the page of a payment that succeeded: its receipt, which the payer can print and share. */
export function paidPage(
  context: PageContext,
  checkout: Checkout,
  payment: CheckoutPayment,
  mail: ReceiptMail = {},
): Html {
  const { t, format, origin } = context;
  const { linkId, session, merchantName } = checkout;
  const { payerTotal = 0n, payerCurrency = "BRL" } = payment.option ?? {};
  const text = t("paid_text", { amount: format.money(payerTotal, payerCurrency), merchant: merchantName });
  const path = `/pay/${linkId}/${session?.id ?? ""}`;
  const after = html`${exceptionNote(context, payment)} ${thanks(context, checkout)}
    ${receipt(context, checkout, payment)}
    <p class="quiet">${t("receipt_kept")}</p>
    <div class="buttons">
      <button type="button" class="plain" data-print hidden>${t("receipt_print")}</button>
      <button
        type="button"
        class="plain"
        data-share="${origin}${path}"
        data-title="${t("receipt")}: ${merchantName}"
        data-copied="${t("receipt_copied")}"
        hidden
      >
        ${t("receipt_share")}
      </button>
    </div>
    ${checkout.sendsReceipts ? receiptMailForm(context, path, mail) : ""}
    ${checkout.status === PaymentLinkStatus.ACTIVE ? html`<p><a href="/pay/${linkId}?again=1">${t("pay_again")}</a></p>` : ""}`;
  const title = isPaidTwice(payment) ? "came_twice_title" : "paid_title";
  return statePage(context, "good", title, text, after, checkout);
}

/** Returns what the merchant says to who has paid, and a button back to the merchant. Nothing leads there by itself. */
function thanks({ t }: PageContext, { successMessage, successUrl }: Checkout): Html {
  const host = successUrl === undefined ? undefined : webAddress(successUrl)?.host;
  return html`${successMessage ? html`<p class="details">${successMessage}</p>` : ""}
  ${
    successUrl && host
      ? html`<p>
          <a class="button primary" href="${successUrl}" rel="noopener noreferrer"
            >${t("success_back", { host })}</a
          >
        </p>`
      : ""
  }`;
}

function receipt(context: PageContext, checkout: Checkout, payment: CheckoutPayment): Html {
  const { t, format } = context;
  const { option, paidAt, endToEndId, id, fx, reference } = payment;
  const { merchantName, description } = checkout;
  const isCard = option?.paymentMethod === PaymentMethod.CARD;
  return html`<h2>${t("receipt")}</h2>
    <dl class="lines">
      ${paidAt ? row(t("paid_at"), format.timeWithYear(paidAt)) : ""}
      ${description ? row(t("product"), description) : ""}
      ${option ? row(t("paid_by"), methodName(context, option.paymentMethod)) : ""}
      ${
        option && isCard
          ? row(
              t("installments"),
              html`${installmentsText(context, option)}
                <small>${installmentsHelp(context, checkout, option)}</small>`,
            )
          : ""
      }
      ${isCard ? card(context, payment) : ""} ${option ? priceParts(context, checkout, option) : ""}
      ${fx ? row(t("receipt_rate"), t("receipt_rate_value", { rate: format.rate(fx.rate) })) : ""}
      ${
        option
          ? html`<div class="total">
              <dt>${t("total")}</dt>
              <dd data-total="${option.payerTotal}">
                ${format.money(option.payerTotal, option.payerCurrency)}
              </dd>
            </div>`
          : ""
      }
      ${row(t("paid_to"), merchantName)}
      ${merchantFacts(context, checkout).map(([label, value]) => row(label, value))}
      ${reference ? row(t("reference"), reference) : ""} ${row(t("payment_id"), code(id))}
      ${endToEndId ? row(t("end_to_end_id"), code(endToEndId)) : ""}
    </dl>`;
}

/** Returns the card that paid, as far as it is known. */
function card({ t }: PageContext, { cardBrand = "", cardLastFour }: CheckoutPayment): Html | "" {
  const text = cardLastFour
    ? t("receipt_card_ending", { brand: cardBrand, digits: cardLastFour }).trim()
    : cardBrand;
  return text === "" ? "" : row(t("receipt_card"), text);
}

function row(label: string, value: Html | string): Html {
  return html`<div>
    <dt>${label}</dt>
    <dd>${value}</dd>
  </div>`;
}

function code(id: string): Html {
  return html`<code class="id" translate="no">${id}</code>`;
}
