import { html } from "hono/html";
import type { Html } from "../../pages/html.ts";
import { choiceField, inputField, selectField } from "../parts/form.ts";
import { FormProblem, type Problems } from "../problems.ts";
import type { Guest } from "../visit.ts";
import type { Typed } from "./typed.ts";
import { sayIn } from "./words.ts";

const UNIT_SECONDS: ReadonlyMap<string, bigint> = new Map([
  ["minutes", 60n],
  ["hours", 3600n],
  ["days", 86_400n],
]);

/** Whether the link is a campaign, and how long it lives. */
export function lifeFields(guest: Guest, typed: Typed, problems: Problems): Html {
  const say = sayIn(guest.language);
  return html`${choiceField({
      kind: "radio",
      name: "campaign",
      label: say("campaign"),
      options: [
        ["", say("single")],
        ["yes", say("many")],
      ],
      chosen: [typed.text("campaign")],
      problems,
    })}
    <div class="pair">
      ${selectField({
        name: "expires_unit",
        label: say("expiry"),
        help: say("expiry_help"),
        options: [
          ["", say("expiry_default")],
          ["minutes", say("expiry_minutes")],
          ["hours", say("expiry_hours")],
          ["days", say("expiry_days")],
          ["never", say("expiry_never")],
        ],
        value: typed.text("expires_unit"),
        problems,
      })}
      ${inputField({
        name: "expires_in",
        label: say("expiry_count"),
        value: typed.text("expires_in"),
        inputmode: "numeric",
        maxLength: 10,
        problems,
      })}
    </div>`;
}

/** What a request says of it; nothing where the usual holds. Throws FormProblem. */
export function lifeOf(guest: Guest, typed: Typed): { campaign: boolean; expiresIn?: bigint } {
  const campaign = typed.text("campaign") === "yes";
  const unit = typed.text("expires_unit");
  if (unit === "never") return { campaign, expiresIn: 0n };
  const seconds = UNIT_SECONDS.get(unit);
  if (seconds === undefined) return { campaign };
  const count = typed.text("expires_in");
  if (!/^[1-9]\d{0,9}$/.test(count))
    throw new FormProblem("expires_in", sayIn(guest.language)("expiry_missing"));
  return { campaign, expiresIn: BigInt(count) * seconds };
}
