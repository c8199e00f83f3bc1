import { html } from "hono/html";
import type { Media } from "../../../gen/paylink/media/v1/media_pb.ts";
import type { Html } from "../../pages/html.ts";
import { fieldId } from "../parts/form.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { thumbnail } from "./picture.ts";
import { sayIn } from "./words.ts";

export interface PickerParts {
  /** The field's name; each picture that is picked gives its address under it. */
  readonly name: string;
  /** What may be picked, such as the newest page of ListMedia. */
  readonly media: readonly Media[];
  /** The addresses that are picked already. */
  readonly chosen: readonly string[];
  /** How many may be picked; the core sees to it. */
  readonly max: number;
  readonly problems: Problems;
}

/** A field of a form in which pictures are picked from the merchant's own. */
export function mediaPicker(visit: Visit, { name, media, chosen, max, problems }: PickerParts): Html {
  const say = sayIn(visit.language);
  const id = fieldId(name);
  const problem = problems.get(name);
  const page = html`<a href="${visit.path("/media")}">${say("title")}</a>`;
  const [before = "", behind = ""] = say(media.length > 0 ? "pick_help" : "pick_empty", {
    max,
    page: "|",
  }).split("|");
  return html`<fieldset
    class="picker"
    id="${id}"
    aria-describedby="${id}-help${problem ? ` ${id}-problem` : ""}"
  >
    <legend>${say("pick")}</legend>
    ${
      media.length === 0
        ? ""
        : html`<ul class="gallery">
            ${media.map(
              (one) =>
                html`<li>
                  <label class="picture">
                    <span class="frame">${thumbnail(one)}</span>
                    <span class="choice">
                      <input
                        type="checkbox"
                        name="${name}"
                        value="${one.url}"
                        ${chosen.includes(one.url) ? html` checked` : ""}
                      />
                      <span dir="auto">${one.name === "" ? say("unnamed") : one.name}</span>
                    </span>
                  </label>
                </li>`,
            )}
          </ul>`
    }
    <p class="quiet" id="${id}-help">${before}${page}${behind}</p>
    ${problem ? html`<p class="problem" id="${id}-problem">${problem}</p>` : ""}
  </fieldset>`;
}
