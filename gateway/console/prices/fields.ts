import { html, type Html } from "../../pages/html.ts";
import { amountFields } from "../fields/amount.ts";
import type { Typed } from "../fields/typed.ts";
import { selectField, type Option } from "../parts/form.ts";
import type { Problems } from "../problems.ts";
import type { Guest } from "../visit.ts";
import { INSTALLMENTS_MAX } from "./preview.ts";
import { messagesIn } from "./messages.ts";

const INSTALLMENTS = Array.from({ length: INSTALLMENTS_MAX }, (_, index) => String(index + 1));

/** Returns the fields that determine prices. The prices at `address` are reloaded while the user types. */
export function pricedFields(
  guest: Guest,
  address: string,
  typed: Typed,
  problems: Problems,
  more: { readonly methods: Html; readonly after?: Html; readonly usualFees: "absorb" | "rule" },
): Html {
  return pricedSet(
    guest,
    address,
    html`${amountFields(guest, typed, problems)} ${more.methods}
    ${feeField(guest, typed, problems, more.usualFees)} ${more.after ?? ""}`,
  );
}

/**
 * Returns a part of a form's priced fields. All parts are sent for the prices. `change` would replace the prices
 * when the user presses on one of them after typing.
 */
export function pricedSet(guest: Guest, address: string, content: Html): Html {
  return html`<fieldset
    data-priced
    data-hx-get="${address}"
    data-hx-trigger="input delay:300ms"
    data-hx-include="[data-priced]"
    data-hx-target="#prices"
    data-hx-swap="outerHTML"
    data-hx-sync="this:replace"
  >
    <legend class="hidden">${messagesIn(guest.language)("title")}</legend>
    ${content}
  </fieldset>`;
}

/** Returns the choice of who pays the fees. */
export function feeField(guest: Guest, typed: Typed, problems: Problems, usualFees: "absorb" | "rule"): Html {
  const t = messagesIn(guest.language);
  const usual: Option[] = usualFees === "rule" ? [["", t("rule_default")]] : [];
  return selectField({
    name: "fee_handling",
    label: t("fee_handling"),
    options: [...usual, ["absorb", guest.t("absorb")], ["pass_through", guest.t("pass_through")]],
    value: typed.text("fee_handling"),
    problems,
  });
}

/** Returns a choice of installments, or the default. */
export function installmentsField(
  guest: Guest,
  name: string,
  label: string,
  typed: Typed,
  problems: Problems,
): Html {
  const t = messagesIn(guest.language);
  return selectField({
    name,
    label,
    help: t("max_installments_help"),
    options: [["", t("max_default")], ...INSTALLMENTS.map((n): Option => [n, t("times", { n })])],
    value: typed.text(name),
    problems,
  });
}
