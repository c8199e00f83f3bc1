import {
  DifferenceKind,
  Leg,
  type Difference,
  type GetReconciledDayResponse,
  type Match,
} from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { daysBefore } from "../day.ts";
import { consolePage } from "../frame.ts";
import { doneNotice } from "../parts/done.ts";
import { buttonForm, hiddenToken, inputField, problemList } from "../parts/form.ts";
import { card } from "../parts/show.ts";
import { withQuery } from "../parts/table.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { accountCard } from "./account-day.ts";
import { captionOf, differencePart, differenceText } from "./differences.ts";
import { lineTable } from "./lines.ts";
import { matchTable } from "./matches.ts";
import { messagesIn } from "./messages.ts";
import { stateBadge } from "./words.ts";

const MATCHES = 20;

/** A form of a decision as it was sent, with what is wrong with it. */
export interface SentDecision {
  readonly leg: Leg;
  readonly lines: readonly string[];
  readonly reason: string;
  readonly problems: Problems;
}

/** Returns the name of the field with the reason: a page has one for each leg. */
export function reasonField(leg: Leg): string {
  return `reason-${leg}`;
}

/** Returns the close of a day on one page. With `sent` a form is shown again. */
export async function dayPage(visit: Visit, day: string, sent?: SentDecision): Promise<Html> {
  const { core, as } = visit;
  const [found, { matches }] = await Promise.all([
    core.reconciliation.getReconciledDay({ day }, as),
    core.reconciliation.listMatches({ from: day, to: day, limit: MATCHES }, as),
  ]);
  const t = messagesIn(visit.language);
  const to = (other: string): string => visit.path(`/reconciliation/days/${other}`);
  return consolePage(visit, {
    title: visit.format.day(day),
    section: "/reconciliation",
    trail: { path: `/reconciliation?month=${day.slice(0, 7)}`, title: t("title") },
    actions: stateBadge(visit, found.state),
    content: html`${doneNotice(visit, t, { decided: "done_decided", undone: "done_undone" })}
      ${problemList(visit, sent?.problems ?? NO_PROBLEMS)}
      <nav class="quick" aria-label="${t("day")}">
        <a rel="prev" href="${to(daysBefore(day, 1))}">← ${t("previous_day")}</a>
        <a rel="next" href="${to(daysBefore(day, -1))}">${t("next_day")} →</a>
        <a href="${visit.path(`/close/${day}`)}">${t("to_close")}</a>
      </nav>
      ${differences(visit, found, sent)} ${found.accounts.length === 0 ? html`<p>${t("day_none")}</p>` : ""}
      ${found.accounts.map((account) => accountCard(visit, day, account))} ${matchCard(visit, day, matches)}`,
  });
}

/** Returns what is not even: of each leg a form with the lines, and then what was explained. */
function differences(visit: Visit, found: GetReconciledDayResponse, sent: SentDecision | undefined): Html {
  const t = messagesIn(visit.language);
  const all = [...found.accounts.flatMap((account) => account.differences), ...found.differences];
  const open = all.filter(({ kind }) => kind !== DifferenceKind.DECIDED);
  const decided = all.filter(({ kind }) => kind === DifferenceKind.DECIDED);
  const hidden = found.accounts.reduce(
    (sum, account) => sum + account.differenceCount - account.differences.length,
    0,
  );
  return html`${open.length === 0 ? html`<p>${t("none_differs")}</p>` : ""}
  ${[Leg.BOOKS, Leg.BANK].map((leg) => {
    const ofLeg = open.filter((one) => one.leg === leg);
    return ofLeg.length === 0
      ? ""
      : legCard(visit, found.day, leg, ofLeg, sent?.leg === leg ? sent : undefined);
  })}
  ${hidden > 0 ? html`<p class="note">${t("more_differences", { count: hidden })}</p>` : ""}
  ${decided.length === 0 ? "" : decidedCard(visit, found.day, decided)}`;
}

function legCard(
  visit: Visit,
  day: string,
  leg: Leg,
  open: readonly Difference[],
  sent: SentDecision | undefined,
): Html {
  const t = messagesIn(visit.language);
  const title = t(leg === Leg.BOOKS ? "books_leg" : "bank_leg");
  if (!visit.can("reconciliation.write"))
    return card(title, html`${open.map((one) => differencePart(visit, one))}`);
  const chosen = sent?.lines ?? [];
  return card(
    title,
    html`<p class="quiet">${t("decide_help")}</p>
      <form method="post" action="${visit.path(`/reconciliation/days/${day}/decide`)}" novalidate>
        ${hiddenToken(visit)} <input type="hidden" name="leg" value="${leg}" />
        ${open.map((one) => differencePart(visit, one, chosen))}
        ${inputField({
          name: reasonField(leg),
          label: t("reason"),
          help: t("reason_help"),
          value: sent?.reason ?? "",
          maxLength: 500,
          isRequired: true,
          problems: sent?.problems ?? NO_PROBLEMS,
        })}
        <button class="primary">${t("decide")}</button>
      </form>`,
  );
}

function decidedCard(visit: Visit, day: string, decided: readonly Difference[]): Html {
  const t = messagesIn(visit.language);
  return card(
    t("explained"),
    html`${decided.map((one) => {
      const text = differenceText(visit, one);
      const undo = buttonForm(
        visit,
        visit.path(`/reconciliation/decisions/${one.decisionId ?? ""}/undo`),
        t("undo"),
        {
          question: t("undo_question"),
          hidden: { day },
        },
      );
      const mayUndo = one.decisionId !== undefined && visit.can("reconciliation.write");
      return html`<section class="difference">
        <h3>${text}</h3>
        ${lineTable(visit, captionOf(text, one.lines), one.lines)} ${mayUndo ? undo : ""}
      </section>`;
    })}`,
  );
}

function matchCard(visit: Visit, day: string, matches: readonly Match[]): Html | "" {
  if (matches.length === 0) return "";
  const t = messagesIn(visit.language);
  const all = withQuery(visit.path("/reconciliation/matches"), { from: day, to: day });
  return card(
    t("matches"),
    html`${matchTable(visit, t("matches"), matches)}
      <p><a href="${all}">${t("all_matches")}</a></p>`,
  );
}
