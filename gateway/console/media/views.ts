import { html } from "hono/html";
import type { ListMediaResponse, Media } from "../../../gen/paylink/media/v1/media_pb.ts";
import type { Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { buttonForm, fieldId, hiddenToken, problemList } from "../parts/form.ts";
import { card, copyable, notice } from "../parts/show.ts";
import { pager, withQuery } from "../parts/table.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { sizeText, thumbnail } from "./picture.ts";
import { sayIn, type Say } from "./words.ts";

/** The upload's field: what the core says of a picture's content is said beside it. */
const FILE_FIELD = "content";

/** The pictures, and the form that adds one. */
export function mediaPage(visit: Visit, { media, hasMore }: ListMediaResponse, problems: Problems): Html {
  const say = sayIn(visit.language);
  const { saved, hidden, after } = visit.query;
  const last = media.at(-1)?.id;
  return consolePage(visit, {
    title: say("title"),
    section: "/media",
    content: html`<p>${say("lead")}</p>
      ${saved === undefined ? "" : notice(say("saved"))} ${hidden === undefined ? "" : notice(say("hidden"))}
      ${problemList(visit, problems)} ${card(say("upload"), uploadForm(visit, say, problems))}
      <h2>${say("gallery")}</h2>
      ${
        media.length === 0
          ? html`<div class="empty"><p>${say("empty")}</p></div>`
          : html`<ul class="gallery">
              ${media.map((one) => html`<li>${picture(visit, say, one)}</li>`)}
            </ul>`
      }
      ${pager(visit, {
        next: hasMore ? withQuery(visit.path("/media"), { after: last }) : undefined,
        first: after === undefined ? undefined : visit.path("/media"),
      })}`,
  });
}

function uploadForm(visit: Visit, say: Say, problems: Problems): Html {
  const id = fieldId(FILE_FIELD);
  const problem = problems.get(FILE_FIELD);
  // The token first: nothing is taken of a form that is not ours.
  return html`<form method="post" action="${visit.path("/media")}" enctype="multipart/form-data">
    ${hiddenToken(visit)}
    <div class="field">
      <label for="${id}">${say("file")}</label>
      <input
        id="${id}"
        name="${FILE_FIELD}"
        type="file"
        accept="image/png,image/jpeg,image/webp"
        aria-describedby="${id}-help${problem ? ` ${id}-problem` : ""}"
        ${problem ? html` aria-invalid="true"` : ""}
      />
      <p class="quiet" id="${id}-help">${say("file_help")}</p>
      ${problem ? html`<p class="problem" id="${id}-problem">${problem}</p>` : ""}
    </div>
    <button class="primary">${say("upload")}</button>
  </form>`;
}

function picture(visit: Visit, say: Say, media: Media): Html {
  const { id, name: given, url, width, height, byteCount } = media;
  const name = given === "" ? say("unnamed") : given;
  const size = sizeText(visit, byteCount);
  return html`<figure class="picture">
    <a href="/media/${id}.webp" class="frame">${thumbnail({ ...media, name })}</a>
    <figcaption>
      <strong dir="auto">${name}</strong>
      <small class="quiet">${say("size", { width, height, size })}</small>
    </figcaption>
    ${copyable(visit, id, url, say("address", { name }))}
    ${buttonForm(visit, visit.path(`/media/${id}/hide`), say("hide"), {
      question: say("hide_question", { name }),
    })}
  </figure>`;
}
