import { html } from "hono/html";
import { consolePage } from "../frame.ts";
import type { ConsoleRoutes } from "../routes.ts";
import { sayIn } from "./words.ts";

/** The first page: what there is to see today. */
export function homeRoom(routes: ConsoleRoutes): void {
  routes.page("", "payments.read", async (visit) => {
    const say = sayIn(visit.language);
    return await visit.show(consolePage(visit, { title: say("title"), section: "", content: html`` }));
  });
}
