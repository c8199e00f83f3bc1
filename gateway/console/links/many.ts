import type { FastifyReply } from "fastify";
import { html, type Html } from "../../pages/html.ts";
import { figures, figuresOf } from "../parts/figures.ts";
import { hiddenToken } from "../parts/form.ts";
import { notice } from "../parts/show.ts";
import { withQuery } from "../parts/table.ts";
import { FormProblem, problemsOf, type Problems } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { messagesIn, type Translate } from "./messages.ts";

const FORM = "many";
// A page of the list has fewer.
const MANY_MAX = 100;

/** Returns the check box of a row for the form below the list. */
export function choiceBox(t: Translate, id: string, name: string): Html {
  return html`<input
    type="checkbox"
    name="link"
    value="${id}"
    form="${FORM}"
    aria-label="${t("choose", { name })}"
  />`;
}

/** Returns the form that changes the chosen links. */
export function manyForm(visit: Visit, t: Translate): Html {
  return html`<form method="post" id="${FORM}" class="actions" action="${visit.path("/links/many")}">
    ${hiddenToken(visit)}
    <button name="do" value="cancel" data-confirm="${t("many_question")}">${t("many_cancel")}</button>
    <button name="do" value="reactivate">${t("many_reactivate")}</button>
  </form>`;
}

export function manyNotice(visit: Visit, t: Translate): Html {
  const { changed, left } = figuresOf(visit, ["changed", "left"]);
  return html`${changed === undefined ? "" : notice(t("many_changed", { count: changed }))}
  ${left ? notice(t("many_left", { count: left })) : ""}`;
}

/** Adds the change of many links at once. Those that cannot be changed so are left as they are, and counted. */
export function manyRoutes(
  routes: ConsoleRoutes,
  list: { readonly show: (visit: Visit, shown: { problems: Problems }) => Promise<FastifyReply> },
): void {
  routes.change("/links/many", "links.write", {
    act: async (visit) => {
      const ids = [...new Set(visit.texts("link"))].slice(0, MANY_MAX);
      if (ids.length === 0) throw new FormProblem("", messagesIn(visit.language)("many_none"));
      const { links } = visit.core;
      let changed = 0;
      for (const id of ids) {
        try {
          await (visit.text("do") === "reactivate"
            ? links.reactivatePaymentLink({ id }, visit.as)
            : links.cancelPaymentLink({ id }, visit.as));
          changed += 1;
        } catch (error) {
          if (!problemsOf(error, visit.t)) throw error;
        }
      }
      return visit.goTo(
        withQuery(visit.path("/links"), figures(visit, { changed, left: ids.length - changed })),
      );
    },
    refused: async (visit, problems) => await list.show(visit, { problems }),
  });
}
