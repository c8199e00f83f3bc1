import { html } from "hono/html";
import type { Checkout, CheckoutOption } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { FeeHandling, PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { action, heading, page, type Html, type PageContext } from "../page.ts";
import { wayOf } from "../way.ts";

/** The first page of a link: nothing is locked yet. */
export function landingPage(context: PageContext, checkout: Checkout): Html {
  const { say } = context;
  return page(
    context,
    checkout.description ?? checkout.merchantName,
    html`${heading(say("how_to_pay"))}
      <ul class="ways quiet-ways">
        ${checkout.paymentMethods.map((method) => html`<li>${methodName(context, method)}</li>`)}
      </ul>
      ${action(`/pay/${checkout.linkId}/sessions`, say("show_prices"))}
      <p class="quiet">${say("show_prices_help")}</p>`,
    checkout,
  );
}

/** Every way to pay with its total. */
export function choosePage(context: PageContext, checkout: Checkout): Html {
  const { say } = context;
  const { session } = checkout;
  const options = session?.options ?? [];
  return page(
    context,
    say("how_to_pay"),
    html`${heading(say("how_to_pay"))} ${priceHeld(context, checkout)}
      <form method="get" action="/pay/${checkout.linkId}/${session?.id ?? ""}">
        <fieldset class="ways">
          <legend class="hidden">${say("how_to_pay")}</legend>
          ${options.map((option, index) => optionRow(context, option, index === 0))}
        </fieldset>
        ${options[0]?.feeHandling === FeeHandling.PASS_THROUGH ? html`<p class="note">${say("fee_notice")}</p>` : ""}
        <button class="primary">${say("total_to_pay")}</button>
      </form>`,
    checkout,
  );
}

function optionRow(context: PageContext, option: CheckoutOption, isFirst: boolean): Html {
  const { say, format } = context;
  const total = format.money(option.payerTotal, option.payerCurrency);
  const way = wayOf(option);
  const isCard = option.paymentMethod === PaymentMethod.CARD;
  return html`<label class="way"
    ><input type="radio" name="way" value="${way}" ${isFirst ? html` checked` : ""} />
    <span class="name"
      >${isCard ? installmentsText(context, option) : methodName(context, option.paymentMethod)}
      <small>${isCard ? say("card") : helpOf(context, option.paymentMethod)}</small></span
    >
    <span class="price" data-way="${way}" data-total="${option.payerTotal}">${total}</span></label
  >`;
}

function helpOf({ say }: PageContext, method: PaymentMethod): string {
  return method === PaymentMethod.TED ? say("ted_help") : say("pix_help");
}

export function methodName({ say }: PageContext, method: PaymentMethod): string {
  if (method === PaymentMethod.CARD) return say("card");
  return method === PaymentMethod.TED ? say("ted") : say("pix");
}

/** "12x de …", and the first one apart where it differs. */
export function installmentsText({ say, format }: PageContext, option: CheckoutOption): string {
  const { installments: n, payerCurrency, firstInstallment, otherInstallment } = option;
  const amount = format.money(otherInstallment, payerCurrency);
  if (n === 1) return say("installment_one", { amount });
  const many = say("installment_many", { n, amount });
  if (firstInstallment === otherInstallment) return many;
  const first = format.money(firstInstallment, payerCurrency);
  return `${many} (${say("installment_first", { first, amount })})`;
}

/** Until when the prices hold: a time for everybody, a countdown by the script. */
export function priceHeld({ say, format }: PageContext, { session, now }: Checkout): Html | "" {
  const { expiresAt, fx } = session ?? {};
  if (!expiresAt || !now) return "";
  return html`<div class="held">
    <p>
      ${say("price_held_until")}
      <time data-countdown="${expiresAt.seconds - now.seconds}" data-label="${say("price_held")}"
        >${format.time(expiresAt)}</time
      >
    </p>
    ${fx ? html`<p>${say("rate", { rate: format.rate(fx.rate) })}</p>` : ""}
  </div>`;
}
