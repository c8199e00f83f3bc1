import type { Checkout, CheckoutPayment } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentLinkStatus } from "../../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import type { PageContext } from "../page-context.ts";
import { merchantFacts } from "./brand.ts";
import { installmentsHelp, installmentsText, methodName } from "./choose.ts";
import { exceptionNote, statePage } from "./states.ts";

/** Returns the page of a payment that succeeded: its receipt, which the payer can print and share. */
export function paidPage(context: PageContext, checkout: Checkout, payment: CheckoutPayment): Html {
  const { t, format, origin } = context;
  const { linkId, session, merchantName } = checkout;
  const { payerTotal = 0n, payerCurrency = "BRL" } = payment.option ?? {};
  const text = t("paid_text", { amount: format.money(payerTotal, payerCurrency), merchant: merchantName });
  const address = `${origin}/pay/${linkId}/${session?.id ?? ""}`;
  const after = html`${receipt(context, checkout, payment)} ${exceptionNote(context, payment)}
    <p class="quiet">${t("receipt_kept")}</p>
    <div class="buttons">
      <button type="button" class="plain" data-print hidden>${t("receipt_print")}</button>
      <button
        type="button"
        class="plain"
        data-share="${address}"
        data-title="${t("receipt")}: ${merchantName}"
        data-copied="${t("receipt_copied")}"
        hidden
      >
        ${t("receipt_share")}
      </button>
    </div>
    ${checkout.status === PaymentLinkStatus.ACTIVE ? html`<p><a href="/pay/${linkId}?again=1">${t("pay_again")}</a></p>` : ""}`;
  return statePage(context, "good", "paid_title", text, after, checkout);
}

function receipt(context: PageContext, checkout: Checkout, payment: CheckoutPayment): Html {
  const { t, format } = context;
  const { option, paidAt, endToEndId, id } = payment;
  const { merchantName, description } = checkout;
  const isCard = option?.paymentMethod === PaymentMethod.CARD;
  return html`<h2>${t("receipt")}</h2>
    <dl class="lines">
      ${paidAt ? row(t("paid_at"), format.time(paidAt)) : ""}
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
      ${row(t("payment_id"), code(id))} ${endToEndId ? row(t("end_to_end_id"), code(endToEndId)) : ""}
    </dl>`;
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
