import type { ConsoleRoutes } from "../routes.ts";
import { overviewOf } from "./overview.ts";
import { homePage } from "./view.ts";

/** The first page: what there is to see today. */
export function homeRoom(routes: ConsoleRoutes): void {
  routes.page(
    "",
    "payments.read",
    async (visit) => await visit.show(homePage(visit, await overviewOf(visit))),
  );
}
