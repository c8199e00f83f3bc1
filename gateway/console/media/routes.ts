import { defined } from "../../../contract/defined.ts";
import { cursorOf } from "../parts/cursor.ts";
import { withQuery, pager } from "../parts/table.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { PICTURE_BYTES_MAX, uploadedPicture } from "./uploaded.ts";
import type { ListMediaResponse, Media } from "../../../gen/paylink/media/v1/media_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { pageTurns } from "../list/place.ts";
import { buttonForm, fileField, hiddenToken, problemList } from "../parts/form.ts";
import { card, copyable, notice } from "../parts/show.ts";
import { PICTURE_TYPES, sizeText, thumbnail } from "./picture.ts";
import { messagesIn, type Translate } from "./messages.ts";

/** The upload's field. The core's problems with a picture's content are shown beside it. */
const FILE_FIELD = "content";

const PAGE = 24;
const PROBLEM_STATUS = 422;

/** Adds the page of the merchant's pictures. */
export function mediaRoom(routes: ConsoleRoutes): void {
  routes.page("/media", "media.write", async (visit) => await show(visit, NO_PROBLEMS));
  routes.change("/media", "media.write", {
    fileBytesMax: PICTURE_BYTES_MAX,
    act: async (visit) => {
      const media = await uploadedPicture(visit);
      return visit.goTo(withQuery(visit.path("/media"), { saved: media?.id }));
    },
    refused: async (visit, problems) => await show(visit, problems, PROBLEM_STATUS),
  });
  routes.change("/media/:id/hide", "media.write", {
    act: async (visit) => {
      await visit.core.media.hideMedia({ id: visit.part("id") }, visit.as);
      return visit.goTo(withQuery(visit.path("/media"), { hidden: "1" }));
    },
  });
}

async function show(visit: Visit, problems: Problems, status = 200) {
  const after = cursorOf(visit.query["after"], "med");
  const page = { limit: PAGE, ...defined({ startingAfter: after }) };
  return await visit.show(
    mediaPage(visit, await visit.core.media.listMedia(page, visit.as), problems),
    status,
  );
}

/** Returns the pictures and the form that adds one. */
function mediaPage(visit: Visit, { media, hasMore }: ListMediaResponse, problems: Problems): Html {
  const t = messagesIn(visit.language);
  const { saved, hidden } = visit.query;
  const last = media.at(-1)?.id;
  return consolePage(visit, {
    title: t("title"),
    section: "/media",
    content: html`<p>${t("lead")}</p>
      ${saved === undefined ? "" : notice(t("saved"))} ${hidden === undefined ? "" : notice(t("hidden"))}
      ${problemList(visit, problems)} ${card(t("upload"), uploadForm(visit, t, problems))}
      <h2>${t("gallery")}</h2>
      ${
        media.length === 0
          ? html`<div class="empty"><p>${t("empty")}</p></div>`
          : html`<ul class="gallery">
              ${media.map((one) => html`<li>${picture(visit, t, one)}</li>`)}
            </ul>`
      }
      ${pager(visit, pageTurns(visit, visit.path("/media"), hasMore ? last : undefined, media.length))}`,
  });
}

function uploadForm(visit: Visit, t: Translate, problems: Problems): Html {
  // The token comes first: the server takes no file from a form that is not ours.
  return html`<form method="post" action="${visit.path("/media")}" enctype="multipart/form-data">
    ${hiddenToken(visit)}
    ${fileField({ name: FILE_FIELD, label: t("file"), help: t("file_help"), accept: PICTURE_TYPES, problems })}
    <button class="primary">${t("upload")}</button>
  </form>`;
}

function picture(visit: Visit, t: Translate, media: Media): Html {
  const { id, name: given, url, width, height, byteCount } = media;
  const name = given === "" ? t("unnamed") : given;
  const size = sizeText(visit, byteCount);
  return html`<figure class="picture">
    <a href="/media/${id}.webp" class="frame">${thumbnail({ ...media, name })}</a>
    <figcaption>
      <strong dir="auto">${name}</strong>
      <small class="quiet">${t("size", { width, height, size })}</small>
    </figcaption>
    ${copyable(visit, id, url, t("address", { name }))}
    ${buttonForm(visit, visit.path(`/media/${id}/hide`), t("hide"), {
      question: t("hide_question", { name }),
    })}
  </figure>`;
}
