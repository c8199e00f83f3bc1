import type { ConsoleRoutes } from "../routes.ts";
import { homePage } from "./view.ts";

/** Adds the first page: the overview of the last days. */
export function homeRoom(routes: ConsoleRoutes): void {
  routes.page("", "payments.read", async (visit) => await visit.show(await homePage(visit)));
}
