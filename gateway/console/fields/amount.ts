import { html, type Html } from "../../pages/html.ts";
import { inputField, selectField } from "../parts/form.ts";
import { FormProblem, type Problems } from "../problems.ts";
import type { Guest } from "../visit.ts";
import { minorOf } from "./money-text.ts";
import type { Typed } from "./typed.ts";
import { messagesIn } from "./messages.ts";

const CURRENCIES = ["BRL", "USD"] as const;

/** Returns the fields for amount and currency, side by side. */
export function amountFields(guest: Guest, typed: Typed, problems: Problems): Html {
  const t = messagesIn(guest.language);
  return html`<div class="pair">
    ${inputField({
      name: "amount",
      label: t("amount"),
      help: t("amount_help"),
      value: typed.text("amount"),
      inputmode: "decimal",
      isRequired: true,
      problems,
    })}
    ${selectField({
      name: "currency",
      label: t("currency"),
      options: [
        ["BRL", t("brl")],
        ["USD", t("usd")],
      ],
      value: currencyOf(typed),
      problems,
    })}
  </div>`;
}

export function currencyOf(typed: Typed): "BRL" | "USD" {
  return CURRENCIES.find((currency) => currency === typed.text("currency")) ?? "BRL";
}

/** Returns the amount in its currency's smallest unit. Throws FormProblem. */
export function amountOf(guest: Guest, typed: Typed): bigint {
  const amount = minorOf(typed.text("amount"), currencyOf(typed), guest.language);
  if (typeof amount === "string")
    throw new FormProblem("amount", messagesIn(guest.language)(`amount_${amount}`));
  return amount;
}
