import { html, type Html } from "../../pages/html.ts";
import { hashToken } from "../session-token.ts";
import { buttonForm, hiddenToken } from "../parts/form.ts";
import { FormProblem } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";

const NAME_MAX = 40;

/** Returns the views of a list that the user has saved, and the form that saves the present one: these parameters. */
export async function viewLinks(visit: Visit, list: string, names: readonly string[]): Promise<Html> {
  const query = queryOf(visit, names);
  const { core, as, t } = visit;
  const token = { tokenHash: hashToken(visit.sessionToken) };
  const { views } = await core.users.listSavedViews(token, as);
  const own = views.filter((view) => view.list === list);
  const links = own.map(
    (view) =>
      html`<a
        href="${visit.path(`${list}?${view.query}`)}"
        ${view.query === query ? html` aria-current="true"` : ""}
        >${view.name}</a
      >`,
  );
  const current = own.find((view) => view.query === query);
  return html`${own.length === 0 ? "" : html`<nav class="quick" aria-label="${t("views")}">${links}</nav>`}
    <details class="fold">
      <summary>${t("view_save")}</summary>
      <form method="post" action="${visit.path(`${list}/views`)}">
        ${hiddenToken(visit)} <input type="hidden" name="query" value="${query}" />
        <label for="view-name">${t("view_name")}</label>
        <input id="view-name" name="name" maxlength="${NAME_MAX}" required />
        <button>${t("save")}</button>
      </form>
      ${current ? buttonForm(visit, visit.path(`${list}/views/remove`), t("view_remove", { name: current.name }), { hidden: { name: current.name, query } }) : ""}
    </details>`;
}

/** Returns the query that makes the present view, as the address has it. */
function queryOf({ request }: Visit, names: readonly string[]): string {
  const asked = new URLSearchParams(request.url.split("?")[1] ?? "");
  const kept = [...asked].filter(([name, value]) => value !== "" && names.includes(name));
  return new URLSearchParams(kept).toString();
}

/** Adds the forms that save and remove a view of the list at `path`. */
export function viewRoutes(
  routes: ConsoleRoutes,
  path: string,
  permission: Parameters<ConsoleRoutes["change"]>[1],
): void {
  const toList = (visit: Visit) =>
    visit.goTo(visit.path(`${path}?${new URLSearchParams(visit.text("query")).toString()}`));
  routes.change(`${path}/views`, permission, {
    act: async (visit) => {
      const name = visit.text("name").trim();
      if (name === "") throw new FormProblem("name", visit.t("field_required"));
      // Only what a query can be: it becomes a link.
      const view = { list: path, name, query: new URLSearchParams(visit.text("query")).toString() };
      await visit.core.users.putSavedView({ tokenHash: hashToken(visit.sessionToken), view }, visit.as);
      return toList(visit);
    },
  });
  routes.change(`${path}/views/remove`, permission, {
    act: async (visit) => {
      const removed = { tokenHash: hashToken(visit.sessionToken), list: path, name: visit.text("name") };
      await visit.core.users.removeSavedView(removed, visit.as);
      return toList(visit);
    },
  });
}
