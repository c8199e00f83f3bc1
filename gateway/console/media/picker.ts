import { html, type Html } from "../../pages/html.ts";
import { fieldId } from "../parts/form.ts";
import type { Visit } from "../visit.ts";
import { thumbnail } from "./picture.ts";
import { messagesIn } from "./messages.ts";

const NEWEST = 24;

export interface PickerParts {
  /** Field name for the addresses of picked pictures. A text field of the same name takes other addresses. */
  readonly name: string;
  /** The addresses that are already picked. */
  readonly chosen: readonly string[];
  /** Most pictures that may be picked. The core enforces it. */
  readonly max: number;
}

/** Returns the part of a form in which the user picks from the merchant's newest pictures. */
export async function mediaPicker(visit: Visit, { name, chosen, max }: PickerParts): Promise<Html> {
  const t = messagesIn(visit.language);
  const { media } = await visit.core.media.listMedia({ limit: NEWEST }, visit.as);
  const help = `${fieldId(name)}-picker`;
  const gallery = html`<a href="${visit.path("/media")}">${t("title")}</a>`;
  // The text before and after the link.
  const [before = "", behind = ""] = t(media.length > 0 ? "pick_help" : "pick_empty", {
    max,
    page: "\n",
  }).split("\n");
  return html`<fieldset class="picker" aria-describedby="${help}">
    <legend>${t("pick")}</legend>
    ${
      media.length === 0
        ? ""
        : html`<ul class="gallery">
            ${media.map(
              (one) =>
                html`<li>
                  <label class="picture">
                    <span class="frame">${thumbnail({ ...one, name: "" })}</span>
                    <span class="choice">
                      <input
                        type="checkbox"
                        name="${name}"
                        value="${one.url}"
                        ${chosen.includes(one.url) ? html` checked` : ""}
                      />
                      <span dir="auto" title="${one.name}">${one.name === "" ? t("unnamed") : one.name}</span>
                    </span>
                  </label>
                </li>`,
            )}
          </ul>`
    }
    <p class="quiet" id="${help}">${before}${gallery}${behind}</p>
  </fieldset>`;
}
