import { html, type Html } from "../../pages/html.ts";
import { fieldId } from "../parts/form.ts";
import { FormProblem, type Problems } from "../problems.ts";
import type { Guest } from "../visit.ts";
import type { Typed } from "./typed.ts";
import { messagesIn } from "./messages.ts";

const KEYS_MAX = 20;
const SPARE_ROWS = 2;
const RESERVED_PREFIX = "svc_";

/** The value of the button that adds rows. */
const MORE_ROWS = "more_rows";

/** Returns rows for keys and values, with some empty ones and a button for more. */
export function metadataFields(guest: Guest, action: string, typed: Typed, problems: Problems): Html {
  const t = messagesIn(guest.language);
  const [keys, values] = [typed.texts("metadata_key"), typed.texts("metadata_value")];
  const filled = keys.filter((key, index) => key !== "" || values[index]).length;
  const count = Math.min(
    KEYS_MAX,
    Math.max(keys.length, filled + SPARE_ROWS) + (isAskedFor(typed) ? SPARE_ROWS : 0),
  );
  const problem = problems.get("metadata");
  const id = fieldId("metadata");
  return html`<fieldset id="${id}" aria-describedby="${id}-help${problem ? ` ${id}-problem` : ""}">
    <legend>${t("metadata")}</legend>
    <p class="quiet" id="${id}-help">${t("metadata_help")}</p>
    ${Array.from({ length: count }, (_, index) => row(t, index, keys[index] ?? "", values[index] ?? ""))}
    ${problem ? html`<p class="problem" id="${id}-problem">${problem}</p>` : ""}
    ${
      count < KEYS_MAX
        ? html`<button
            name="do"
            value="${MORE_ROWS}"
            formnovalidate
            data-hx-post="${action}"
            data-hx-target="#${id}"
            data-hx-select="#${id}"
            data-hx-swap="outerHTML"
          >
            ${t("metadata_more")}
          </button>`
        : ""
    }
  </fieldset>`;
}

/** Returns whether the form was sent to get more rows, not to be saved. */
export function isAskedFor(typed: Typed): boolean {
  return typed.text("do") === MORE_ROWS;
}

function row(t: ReturnType<typeof messagesIn>, index: number, key: string, value: string): Html {
  const n = index + 1;
  return html`<div class="pair row">
    <div class="field">
      <label class="hidden" for="metadata-key-${n}">${t("metadata_key", { n })}</label>
      <input
        id="metadata-key-${n}"
        name="metadata_key"
        value="${key}"
        placeholder="${t("metadata_key", { n })}"
      />
    </div>
    <div class="field">
      <label class="hidden" for="metadata-value-${n}">${t("metadata_value", { n })}</label>
      <input
        id="metadata-value-${n}"
        name="metadata_value"
        value="${value}"
        placeholder="${t("metadata_value", { n })}"
      />
    </div>
  </div>`;
}

/** Returns the filled rows. Throws FormProblem. */
export function metadataOf(guest: Guest, typed: Typed): Record<string, string> {
  const t = messagesIn(guest.language);
  const [keys, values] = [typed.texts("metadata_key"), typed.texts("metadata_value")];
  const found = new Map<string, string>();
  for (const [index, given] of keys.entries()) {
    const [key, value] = [given.trim(), values[index] ?? ""];
    if (key === "" && value === "") continue;
    if (key === "") throw new FormProblem("metadata", t("metadata_keyless", { value }));
    if (found.has(key)) throw new FormProblem("metadata", t("metadata_twice", { key }));
    // The core would name the key, which is no field of the form.
    if (key.startsWith(RESERVED_PREFIX)) throw new FormProblem("metadata", guest.t("reserved_metadata_key"));
    found.set(key, value);
  }
  if (found.size > KEYS_MAX) throw new FormProblem("metadata", t("metadata_many"));
  return Object.fromEntries(found);
}
