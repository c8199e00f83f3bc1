import {
  PayerField,
  type Checkout,
  type CheckoutOption,
} from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PayerFieldRule } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { CollectField } from "../../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import type { MessageKey } from "../messages.ts";
import { OTHER_DETAILS } from "../context.ts";
import type { PageContext } from "../page-context.ts";
import { optionKey } from "../payment-option.ts";

/** The submitted values, and a message for each field with a problem. */
export interface Entered {
  readonly values: Readonly<Record<string, string>>;
  readonly problems: Readonly<Record<string, MessageKey>>;
  /** True: the payer enters details, though those given before may be enough. */
  readonly hasOwnDetails: boolean;
}

const STATES = "AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO".split(" ");
// The core's limits.
const LENGTHS: Readonly<Record<string, number>> = {
  name: 100,
  email: 254,
  document: 40,
  phone: 40,
  postal_code: 20,
  number: 20,
  complement: 100,
  district: 100,
  city: 100,
};
const LENGTH_MAX = 200;

const COLLECTED: Readonly<Record<number, PayerField>> = {
  [CollectField.PHONE]: PayerField.PHONE,
  [CollectField.ADDRESS]: PayerField.ADDRESS,
};

/** Returns what the link and the account ask the payer for, to pay by a method. */
export function askedOf(checkout: Checkout, method: PaymentMethod): readonly PayerField[] {
  const optional = ruledBy(checkout, PayerFieldRule.OPTIONAL);
  return [...new Set([...requiredOf(checkout, method), ...optional])];
}

/** Returns what the payer must give. */
function requiredOf(checkout: Checkout, method: PaymentMethod): readonly PayerField[] {
  const collected = checkout.collectFields.map((word) => COLLECTED[word] ?? PayerField.UNSPECIFIED);
  return [...collected, ...ruledBy(checkout, PayerFieldRule.REQUIRED), ...neededBy(checkout, method)];
}

/** Returns whether earlier payments of the session gave all that the payer must give. */
export function isRequiredGiven(checkout: Checkout, method: PaymentMethod): boolean {
  return requiredOf(checkout, method).every((one) => checkout.session?.givenFields.includes(one));
}

/** Returns what the account of a method needs. */
function neededBy({ cardSetup, pixPayerFields }: Checkout, method: PaymentMethod): readonly PayerField[] {
  if (method === PaymentMethod.PIX) return pixPayerFields;
  return method === PaymentMethod.CARD ? (cardSetup?.payerFields ?? []) : [];
}

/** Returns what the merchant asks for by this rule. */
function ruledBy({ payerFields: rules }: Checkout, rule: PayerFieldRule): readonly PayerField[] {
  const ruled = [
    [PayerField.NAME, rules?.name],
    [PayerField.EMAIL, rules?.email],
    [PayerField.DOCUMENT, rules?.taxId],
  ] as const;
  return ruled.filter(([, one]) => one === rule).map(([asked]) => asked);
}

/** Returns the fields of what the payer is asked for, or that what the payer gave before in the session is used again. */
export function payerFields(
  context: PageContext,
  checkout: Checkout,
  option: CheckoutOption,
  entered: Entered,
): Html | "" {
  const { t } = context;
  const { paymentMethod: method } = option;
  const asked = askedOf(checkout, method);
  if (asked.length === 0) return "";
  const isGiven = asked.some((one) => checkout.session?.givenFields.includes(one));
  if (isGiven && isRequiredGiven(checkout, method) && !entered.hasOwnDetails)
    return givenBefore(context, checkout, option);
  const required = requiredOf(checkout, method);
  const mayBeEmpty = (one: PayerField): boolean => !required.includes(one);
  const help = neededBy(checkout, method).includes(PayerField.DOCUMENT) ? t("document_help") : "";
  return html`<fieldset class="fields" data-keep="${checkout.linkId}">
    <legend>${t("your_details")}</legend>
    ${asked.includes(PayerField.NAME) ? field(context, "name", entered, { isOptional: mayBeEmpty(PayerField.NAME) }) : ""}
    ${asked.includes(PayerField.EMAIL) ? field(context, "email", entered, { isOptional: mayBeEmpty(PayerField.EMAIL) }) : ""}
    ${
      asked.includes(PayerField.DOCUMENT)
        ? field(context, "document", entered, { help, isOptional: mayBeEmpty(PayerField.DOCUMENT) })
        : ""
    }
    ${asked.includes(PayerField.PHONE) ? field(context, "phone", entered, { help: t("phone_help") }) : ""}
    ${
      asked.includes(PayerField.ADDRESS)
        ? html`${field(context, "postal_code", entered)} ${field(context, "street", entered)}
            <div class="pair">
              ${field(context, "number", entered)}${field(context, "complement", entered, { isOptional: true })}
            </div>
            ${field(context, "district", entered)} ${field(context, "city", entered)}
            ${stateField(context, entered)}`
        : ""
    }
  </fieldset>`;
}

/** Shows nothing of the details: the page's address is all that its reader needs to know. */
function givenBefore({ t }: PageContext, { linkId, session }: Checkout, option: CheckoutOption): Html {
  const query = `way=${optionKey(option)}&details=${OTHER_DETAILS}`;
  return html`<fieldset class="fields">
    <legend>${t("your_details")}</legend>
    <p>${t("details_given")}</p>
    <p><a href="/pay/${linkId}/${session?.id}?${query}">${t("details_others")}</a></p>
  </fieldset>`;
}

/** What an input's keyboard and the browser's memory are for. */
interface Input {
  readonly autocomplete: string;
  readonly type?: "email" | "tel" | "text";
  readonly inputMode?: "email" | "numeric" | "tel";
  /** True: the script writes it with its marks when it is left. Any other text stays as it is. */
  readonly isMarked?: boolean;
}

const INPUTS = {
  name: { autocomplete: "name" },
  email: { autocomplete: "email", type: "email", inputMode: "email" },
  // A CNPJ may have letters, so that a keyboard of digits would be in the way.
  document: { autocomplete: "off", isMarked: true },
  phone: { autocomplete: "tel", type: "tel", inputMode: "tel", isMarked: true },
  postal_code: { autocomplete: "postal-code", inputMode: "numeric", isMarked: true },
  street: { autocomplete: "address-line1" },
  // "s/n" is one.
  number: { autocomplete: "off" },
  complement: { autocomplete: "address-line2" },
  district: { autocomplete: "address-level3" },
  city: { autocomplete: "address-level2" },
} as const satisfies Readonly<Record<string, Input>>;

function field(
  { t }: PageContext,
  name: keyof typeof INPUTS,
  { values, problems }: Entered,
  { help = "", isOptional = false }: { readonly help?: string; readonly isOptional?: boolean } = {},
): Html {
  const { autocomplete, type = "text", inputMode, isMarked = false }: Input = INPUTS[name];
  return html`<div class="field">
    <label for="${name}">${isOptional ? t("optional_field", { label: t(name) }) : t(name)}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      autocomplete="${autocomplete}"
      value="${values[name] ?? ""}"
      maxlength="${LENGTHS[name] ?? LENGTH_MAX}"
      ${inputMode ? html` inputmode="${inputMode}"` : ""}${isMarked ? html` data-marks="${name}"` : ""}
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
