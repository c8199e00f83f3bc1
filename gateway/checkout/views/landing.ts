import type { Checkout } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import type { MessageKey } from "../messages.ts";
import { heading, page } from "../page.ts";
import type { PageContext } from "../page-context.ts";
import { CARD_CHOICE, methodKey } from "../payment-option.ts";
import { methodName, PAY_BUTTONS } from "./choose.ts";
import { askedOf } from "./payer-fields.ts";

/** Returns the first page of a link: the first method is chosen, with its button. No price is locked yet. */
export function landingPage(context: PageContext, checkout: Checkout): Html {
  const { t } = context;
  const [first, ...others] = inOrder(checkout.paymentMethods);
  return page(
    context,
    checkout.description ?? checkout.merchantName,
    first === undefined
      ? html`${heading(t("how_to_pay"))}
          <p class="note" role="status">${t(checkout.isUnconnected ? "not_connected" : "not_offered")}</p>`
      : html`${heading(t("how_to_pay"))}
          <form method="post" action="/pay/${checkout.linkId}/sessions">
            <p class="way chosen">
              <span class="name">${methodName(context, first)}</span> <small>${helpOf(context, first)}</small>
            </p>
            <button class="primary" name="way" value="${choiceOf(first)}">
              ${t(firstStep(checkout, first))}
            </button>
            ${
              others.length > 0
                ? html`<p class="or">${t("or")}</p>
                    ${others.map((method) => html`<button class="other" name="way" value="${choiceOf(method)}">${methodName(context, method)}</button>`)}`
                : ""
            }
          </form>
          <p class="quiet">${t("show_prices_help")}</p>`,
    checkout,
    { isFirst: true },
  );
}

/** Pix is chosen where it is offered; the others keep the link's order. */
function inOrder(methods: readonly PaymentMethod[]): readonly PaymentMethod[] {
  return methods.toSorted(
    (one, other) => Number(other === PaymentMethod.PIX) - Number(one === PaymentMethod.PIX),
  );
}

/** A card has its number of installments still to be chosen. */
function choiceOf(method: PaymentMethod): string {
  return method === PaymentMethod.CARD ? CARD_CHOICE : methodKey(method, 1);
}

/** Returns what the method's button says: of Pix, whether there is a page to fill in before the code. */
function firstStep(checkout: Checkout, method: PaymentMethod): MessageKey {
  const isAsked = askedOf(checkout, method).length > 0 || checkout.currency !== "BRL";
  if (method === PaymentMethod.PIX && isAsked) return "pay_pix_next";
  return PAY_BUTTONS[method] ?? "continue";
}

function helpOf({ t }: PageContext, method: PaymentMethod): string {
  if (method === PaymentMethod.CARD) return t("card_help");
  return t(method === PaymentMethod.TED ? "ted_help" : "pix_help");
}
