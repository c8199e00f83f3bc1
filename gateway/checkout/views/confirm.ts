import type { Checkout, CheckoutOption } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { CollectField } from "../../../gen/paylink/links/v1/links_pb.ts";
import { FeeHandling, PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { heading, page, type PageContext } from "../page.ts";
import { html, type Html } from "../../pages/html.ts";
import { optionKey } from "../payment-option.ts";
import type { MessageKey } from "../messages.ts";
import { firstInstallmentText, installmentsText, methodName, priceHeld } from "./choose.ts";

/** The submitted values, and a message for each field with a problem. */
export interface Entered {
  readonly values: Readonly<Record<string, string>>;
  readonly problems: Readonly<Record<string, MessageKey>>;
}

const STATES = "AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO".split(" ");
const TOKENS = [
  "tok_approved",
  "tok_challenge",
  "tok_insufficient_funds",
  "tok_card_declined",
  "tok_expired_card",
  "tok_invalid_card",
  "tok_card_not_supported",
  "tok_authentication_failed",
  "tok_payment_declined",
] as const;

// The core's limits.
const LENGTHS: Readonly<Record<string, number>> = {
  phone: 40,
  postal_code: 20,
  number: 20,
  complement: 100,
  district: 100,
  city: 100,
};
const LENGTH_MAX = 200;

const BUTTONS: Readonly<Record<number, MessageKey>> = {
  [PaymentMethod.PIX]: "pay_pix",
  [PaymentMethod.CARD]: "pay_card",
  [PaymentMethod.TED]: "pay_ted",
};

/** Returns the page of one payment option: its parts, its total, and the fields that the payer fills in. */
export function confirmPage(
  context: PageContext,
  checkout: Checkout,
  option: CheckoutOption,
  entered: Entered = { values: {}, problems: {} },
): Html {
  const { t } = context;
  const sessionId = checkout.session?.id ?? "";
  const base = `/pay/${checkout.linkId}/${sessionId}`;
  const others = (checkout.session?.options.length ?? 0) > 1;
  return page(
    context,
    t("total_to_pay"),
    html`${heading(methodName(context, option.paymentMethod))} ${problemList(context, entered)}
      ${priceHeld(context, checkout)} ${totals(context, option)}
      <form method="post" action="${base}/payments" novalidate>
        <input type="hidden" name="way" value="${optionKey(option)}" />
        ${payerFields(context, checkout.collectFields, entered)}
        ${option.paymentMethod === PaymentMethod.CARD ? cardFields(context) : ""}
        ${option.feeHandling === FeeHandling.PASS_THROUGH ? acknowledgement(context, option, entered) : ""}
        <button class="primary">${t(BUTTONS[option.paymentMethod] ?? "pay_pix")}</button>
      </form>
      ${others ? html`<p><a href="${base}?choose=1">${t("change_option")}</a></p>` : ""}`,
    checkout,
  );
}

function totals(context: PageContext, option: CheckoutOption): Html {
  const { t, format } = context;
  const { productAmount, feeAmount, pricingCurrency, payerTotal, payerCurrency } = option;
  const isPassed = option.feeHandling === FeeHandling.PASS_THROUGH;
  return html`<dl class="lines">
    ${
      isPassed
        ? html`<div>
              <dt>${t("product")}</dt>
              <dd data-product="${productAmount}">${format.money(productAmount, pricingCurrency)}</dd>
            </div>
            <div>
              <dt>${t("fee")}</dt>
              <dd data-fee="${feeAmount}">${format.money(feeAmount, pricingCurrency)}</dd>
            </div>`
        : ""
    }
    ${
      option.paymentMethod === PaymentMethod.CARD
        ? html`<div>
            <dt>${t("installments")}</dt>
            <dd>
              ${installmentsText(context, option)} <small>${firstInstallmentText(context, option)}</small>
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

function cardFields({ t }: PageContext): Html {
  return html`<fieldset class="fields">
    <legend>${t("card_sandbox")}</legend>
    <p class="quiet" id="card_help">${t("card_sandbox_help")}</p>
    <label for="card_token">${t("card_answer")}</label>
    <select id="card_token" name="card_token" aria-describedby="card_help">
      ${TOKENS.map((token) => html`<option value="${token}">${t(token)}</option>`)}
    </select>
    <p class="quiet">${t("card_safe")}</p>
  </fieldset>`;
}

function payerFields(context: PageContext, collected: readonly CollectField[], entered: Entered): Html | "" {
  const { t } = context;
  if (collected.length === 0) return "";
  return html`<fieldset class="fields">
    <legend>${t("your_details")}</legend>
    ${collected.includes(CollectField.PHONE) ? field(context, "phone", "tel", entered, "tel", t("phone_help")) : ""}
    ${
      collected.includes(CollectField.ADDRESS)
        ? html`${field(context, "postal_code", "postal-code", entered)}
            ${field(context, "street", "address-line1", entered)}
            <div class="pair">
              ${field(context, "number", "off", entered)}${field(context, "complement", "address-line2", entered)}
            </div>
            ${field(context, "district", "address-level3", entered)}
            ${field(context, "city", "address-level2", entered)} ${stateField(context, entered)}`
        : ""
    }
  </fieldset>`;
}

function field(
  { t }: PageContext,
  name: MessageKey,
  autocomplete: string,
  { values, problems }: Entered,
  type = "text",
  help = "",
): Html {
  const isOptional = name === "complement";
  return html`<div class="field">
    <label for="${name}">${t(name)}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      autocomplete="${autocomplete}"
      value="${values[name] ?? ""}"
      maxlength="${LENGTHS[name] ?? LENGTH_MAX}"
      ${isOptional ? "" : html` required`}${described(name, help, problems)}
    />
    ${help ? html`<p class="quiet" id="${name}_help">${help}</p>` : ""} ${problemOf(t, name, problems)}
  </div>`;
}

function stateField({ t }: PageContext, { values, problems }: Entered): Html {
  const chosen = values["state"] ?? "";
  return html`<div class="field">
    <label for="state">${t("state")}</label>
    <select id="state" name="state" autocomplete="address-level1" required${described("state", "", problems)}>
      <option value="">${t("state_choose")}</option>
      ${STATES.map((state) => html`<option value="${state}" ${state === chosen ? html` selected` : ""}>${state}</option>`)}</select
    >${problemOf(t, "state", problems)}
  </div>`;
}

function described(name: string, help: string, problems: Entered["problems"]): Html | "" {
  const isWrong = problems[name] !== undefined;
  const ids = [...(help ? [`${name}_help`] : []), ...(isWrong ? [`${name}_problem`] : [])].join(" ");
  if (ids === "") return "";
  return html` aria-describedby="${ids}"${isWrong ? html` aria-invalid="true"` : ""}`;
}

function problemOf(t: PageContext["t"], name: string, problems: Entered["problems"]): Html | "" {
  const message = problems[name];
  return message ? html`<p class="problem" id="${name}_problem">${t(message)}</p>` : "";
}

/** Returns the list of problems with a link to each field. The script moves the focus to it. */
function problemList({ t }: PageContext, { problems }: Entered): Html | "" {
  const entries = Object.entries(problems);
  if (entries.length === 0) return "";
  return html`<div class="problems" id="problems" role="alert" tabindex="-1">
    <p>${t("errors_title")}</p>
    <ul>
      ${entries.map(([name, message]) => html`<li>${name === "" ? t(message) : html`<a href="#${name}">${labelOf(t, name)}: ${t(message)}</a>`}</li>`)}
    </ul>
  </div>`;
}

function labelOf(t: PageContext["t"], name: string): string {
  if (name === "acknowledged_total") return t("total");
  return name === "card_token" ? t("card_answer") : t(name as MessageKey);
}
