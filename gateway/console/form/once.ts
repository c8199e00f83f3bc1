import { html, type Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { copyable } from "../parts/show.ts";
import type { Visit } from "../visit.ts";

/** A secret as the answer to the form that made it. */
export interface ShownOnce {
  readonly title: string;
  /** What to do with it. */
  readonly text: string;
  readonly about?: Html;
  readonly id: string;
  readonly value: string;
  readonly label: string;
  /** The button that leaves the page, and its path. */
  readonly done: string;
  readonly path: string;
}

/** Returns the only page that ever shows the secret. */
export function oncePage(visit: Visit, section: string, shown: ShownOnce): Html {
  const { title, text, about = "", id, value, label, done, path } = shown;
  return consolePage(visit, {
    title,
    section,
    content: html`<div class="secret-once">
      <p role="status">${text}</p>
      ${about} ${copyable(visit, id, value, label)}
      <p><a class="button primary" href="${visit.path(path)}">${done}</a></p>
    </div>`,
  });
}
