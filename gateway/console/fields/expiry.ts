import { defined } from "../../../contract/defined.ts";
import { html, type Html } from "../../pages/html.ts";
import { choiceField, inputField, selectField } from "../parts/form.ts";
import { FormProblem, type Problems } from "../problems.ts";
import type { Guest } from "../visit.ts";
import type { Typed } from "./typed.ts";
import { messagesIn } from "./messages.ts";

const UNIT_SECONDS: ReadonlyMap<string, bigint> = new Map([
  ["minutes", 60n],
  ["hours", 3600n],
  ["days", 86_400n],
]);

/** The life of a link that a person makes: a day is over before many payers have read their messages. */
const USUAL_SECONDS = 7n * 86_400n;

/** Returns the fields for the link's kind (campaign or not) and its expiry. */
export function lifeFields(guest: Guest, typed: Typed, problems: Problems): Html {
  const t = messagesIn(guest.language);
  return html`${choiceField({
      kind: "radio",
      name: "campaign",
      label: t("campaign"),
      options: [
        ["", t("single")],
        ["yes", t("many")],
      ],
      chosen: [typed.text("campaign")],
      problems,
    })}
    <div class="pair">
      ${selectField({
        name: "expires_unit",
        label: t("expiry"),
        help: t("expiry_help"),
        options: [
          ["", t("expiry_default")],
          ["minutes", t("expiry_minutes")],
          ["hours", t("expiry_hours")],
          ["days", t("expiry_days")],
          ["never", t("expiry_never")],
        ],
        value: typed.text("expires_unit"),
        problems,
      })}
      ${inputField({
        name: "expires_in",
        label: t("expiry_count"),
        value: typed.text("expires_in"),
        inputmode: "numeric",
        maxLength: 10,
        problems,
      })}
    </div>`;
}

/**
 * Returns the fields of a request. A single link lives for seven days where nothing is chosen, and a campaign has the
 * contract's default. Throws FormProblem.
 */
export function lifeOf(guest: Guest, typed: Typed): { campaign: boolean; expiresIn?: bigint } {
  const campaign = typed.text("campaign") === "yes";
  const chosen = spanOf(guest, typed.text("expires_unit"), typed.text("expires_in"));
  const expiresIn = chosen ?? (campaign ? undefined : USUAL_SECONDS);
  return { campaign, ...defined({ expiresIn }) };
}

/** Returns the seconds of a count of units, 0 for never, or undefined if no unit is chosen. Throws FormProblem. */
export function spanOf(guest: Guest, unit: string, count: string): bigint | undefined {
  if (unit === "never") return 0n;
  const seconds = UNIT_SECONDS.get(unit);
  if (seconds === undefined) {
    // The default has no count: one that was typed belongs to a unit that was not chosen.
    if (count === "") return undefined;
    throw new FormProblem("expires_unit", messagesIn(guest.language)("expiry_unit_missing"));
  }
  if (!/^[1-9]\d{0,9}$/.test(count))
    throw new FormProblem("expires_in", messagesIn(guest.language)("expiry_missing"));
  return BigInt(count) * seconds;
}
