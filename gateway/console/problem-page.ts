import { html, type Html } from "../pages/html.ts";
import { consolePage, guestPage } from "./frame.ts";
import { problemList } from "./parts/form.ts";
import type { Problems } from "./problems.ts";
import { Visit, type Guest } from "./visit.ts";

/** Returns a page with one message, in the frame of a user or of a guest. */
export function messagePage(guest: Guest, title: string, text: string): Html {
  const content = html`<p>${text}</p>
    <p><a class="button" href="/console">${guest.t("back")}</a></p>`;
  if (!(guest instanceof Visit)) return guestPage(guest, title, content);
  return consolePage(guest, {
    title,
    section: "",
    content: html`<section class="card">${content}</section>`,
  });
}

/** Returns a page with the problems of a form with one button. */
export function problemPage(visit: Visit, problems: Problems): Html {
  const title = visit.t("refused_title");
  return consolePage(visit, { title, section: "", content: problemList(visit, problems) as Html });
}
