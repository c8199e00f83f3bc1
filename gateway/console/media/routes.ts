import { defined } from "../../../contract/defined.ts";
import { cursorOf } from "../parts/cursor.ts";
import { withQuery } from "../parts/table.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { mediaPage } from "./views.ts";
import { PICTURE_BYTES_MAX, uploadedPicture } from "./uploaded.ts";

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
