import { UploadMediaRequestSchema } from "../../../gen/paylink/media/v1/media_pb.ts";
import { limitOf } from "../form/limits.ts";
import { cursorOf } from "../parts/cursor.ts";
import { withQuery } from "../parts/table.ts";
import { FormProblem, NO_PROBLEMS, type Problems } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import { fileOf } from "../upload.ts";
import type { Visit } from "../visit.ts";
import { sizeText } from "./picture.ts";
import { mediaPage } from "./views.ts";
import { messagesIn } from "./messages.ts";

const PAGE = 24;
const NAME_MAX = limitOf(UploadMediaRequestSchema.field.name, "maxLength");
const CONTENT_MAX = limitOf(UploadMediaRequestSchema.field.content, "maxLength");
const PROBLEM_STATUS = 422;

/** Adds the page of the merchant's pictures. */
export function mediaRoom(routes: ConsoleRoutes): void {
  routes.page("/media", "media.write", async (visit) => await show(visit, NO_PROBLEMS));
  routes.change("/media", "media.write", {
    fileBytesMax: CONTENT_MAX,
    act: async (visit) => {
      const t = messagesIn(visit.language);
      const file = fileOf(visit.request);
      if (!file) throw new FormProblem("content", t("no_file"));
      const { content, name, byteCount } = file;
      if (!content) throw new FormProblem("content", t("too_large", { size: sizeText(visit, byteCount) }));
      const { media } = await visit.core.media.uploadMedia({ content, name: shortened(name) }, visit.as);
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
  const page = { limit: PAGE, ...(after === undefined ? {} : { startingAfter: after }) };
  return await visit.show(
    mediaPage(visit, await visit.core.media.listMedia(page, visit.as), problems),
    status,
  );
}

/** Returns a file's name without control characters and at most as long as the core accepts. */
function shortened(name: string): string {
  return name
    .replaceAll(/\p{Cc}/gu, "")
    .slice(0, NAME_MAX)
    .toWellFormed();
}
