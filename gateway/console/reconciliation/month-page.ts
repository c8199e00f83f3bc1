import type { FastifyReply } from "fastify";
import { differingDays } from "../../../contract/first-difference.ts";
import { DayState, type DaySummary } from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { presentDay } from "../day.ts";
import { consolePage } from "../frame.ts";
import { barChart } from "../parts/chart.ts";
import { doneNotice } from "../parts/done.ts";
import { buttonForm, inputField, problemList } from "../parts/form.ts";
import { rowTable } from "../parts/table.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { messagesIn } from "./messages.ts";
import { size, stateBadge, summaryText } from "./words.ts";

/** A month that exists, YYYY-MM. */
export const MONTH = /^(?!0000)\d{4}-(0[1-9]|1[0-2])$/;
const REFUSED_STATUS = 422;

/** Shows the requested month, or the present one. A month that is invalid is reported beside the field. */
export async function showMonth(visit: Visit): Promise<FastifyReply> {
  const asked = visit.query["month"] ?? "";
  if (asked === "" || MONTH.test(asked)) return await visit.show(await monthOf(visit, asked, NO_PROBLEMS));
  const problems = new Map([["month", messagesIn(visit.language)("month_refused")]]);
  return await visit.show(await monthOf(visit, "", problems), REFUSED_STATUS);
}

async function monthOf(visit: Visit, asked: string, problems: Problems): Promise<Html> {
  const first = asked === "" ? presentDay().with({ day: 1 }) : Temporal.PlainDate.from(`${asked}-01`);
  const last = first.add({ months: 1 }).subtract({ days: 1 });
  const { core, as } = visit;
  const period = { from: first.toString(), to: last.toString() };
  const { days } = await core.reconciliation.listReconciledDays(period, as);
  return monthPage(visit, first, days, problems);
}

function monthPage(
  visit: Visit,
  first: Temporal.PlainDate,
  days: readonly DaySummary[],
  problems: Problems,
): Html {
  const t = messagesIn(visit.language);
  const name = visit.format.month(first);
  const other = (months: number): string =>
    `${visit.path("/reconciliation")}?month=${first.add({ months }).toString().slice(0, 7)}`;
  const month = first.toString().slice(0, 7);
  const packageLink = html`<a
    class="button"
    href="${visit.path("/reconciliation/package.zip")}?month=${month}"
    download
    >${t("package")}</a
  >`;
  const readNow = buttonForm(visit, visit.path("/reconciliation/read"), t("read_now"));
  return consolePage(visit, {
    title: t("title"),
    section: "/reconciliation",
    actions: html`${packageLink} ${visit.can("reconciliation.write") ? readNow : ""}`,
    content: html`${doneNotice(visit, t, { asked: "done_asked" })} ${problemList(visit, problems)}
      <p>${t("intro")}</p>
      <nav class="quick" aria-label="${t("title")}">
        <a href="${visit.path("/reconciliation/accounts")}">${t("to_bank_accounts")}</a>
        <a href="${visit.path("/reconciliation/lines")}">${t("to_bank_lines")}</a>
        <a href="${visit.path("/reconciliation/statements")}">${t("to_statement_lines")}</a>
        <a href="${visit.path("/reconciliation/matches")}">${t("to_matches")}</a>
      </nav>
      <form class="filters" method="get" action="${visit.path("/reconciliation")}">
        ${inputField({
          name: "month",
          type: "month",
          label: t("month"),
          value: month,
          problems,
        })}
        <button class="primary">${t("show")}</button>
      </form>
      <nav class="quick" aria-label="${t("month")}">
        <a rel="prev" href="${other(-1)}">← ${t("previous_month")}</a>
        <a rel="next" href="${other(1)}">${t("next_month")} →</a>
      </nav>
      <h2>${name}</h2>
      ${firstDifference(visit, days)} ${calendar(visit, first, days)} ${figures(visit, name, days)}`,
  });
}

/** Returns the way to the first day that differs: what a person looks for. */
function firstDifference(visit: Visit, days: readonly DaySummary[]): Html {
  const t = messagesIn(visit.language);
  const [found] = differingDays(days);
  if (!found) return html`<p>${t(days.length === 0 ? "month_none" : "no_difference")}</p>`;
  const text = t("first_difference", { difference: summaryText(visit, found) });
  return html`<p class="note"><a href="${dayAddress(visit, found.day)}">${text}</a></p>`;
}

/** Returns the month by weeks, or on a phone as a list of days. Every day of the calendar has its link. */
function calendar(visit: Visit, first: Temporal.PlainDate, days: readonly DaySummary[]): Html {
  const found = new Map(days.map((summary) => [summary.day, summary]));
  const cells = Array.from({ length: first.daysInMonth }, (_, index) => {
    const day = first.add({ days: index }).toString();
    const summary = found.get(day);
    // Its column is that of the first day's weekday, Sunday's the first.
    const kind = index === 0 ? `column-${first.dayOfWeek % 7}` : "";
    if (!summary) return html`<li class="${kind} quiet">${visit.format.day(day)}</li>`;
    return html`<li class="${kind}">
      <a href="${dayAddress(visit, day)}">${visit.format.day(day)}</a>
      ${stateBadge(visit, summary.state)}
      ${summary.difference === 0n ? "" : html`<span class="nowrap">${size(visit, summary.difference)}</span>`}
    </li>`;
  });
  return html`<ol class="calendar">
    ${cells}
  </ol>`;
}

/** Returns the month's bars, and the same as a table. */
function figures(visit: Visit, month: string, days: readonly DaySummary[]): Html | "" {
  if (days.length === 0) return "";
  const t = messagesIn(visit.language);
  const money = (amount: bigint): string => visit.format.money(amount, "BRL");
  return html`<section class="card">
      ${barChart(visit, {
        name: t("chart"),
        days: days.map(({ day }) => day),
        series: [
          { name: t("gross"), values: days.map(({ gross }) => gross), text: money },
          // What the provider takes is negative, and drawn upwards beside the rest.
          { name: t("fees"), values: days.map(({ fees }) => -fees), text: (value) => money(-value) },
          { name: t("net"), values: days.map(({ net }) => net), text: money },
          { name: t("difference"), values: days.map(({ difference }) => difference), text: money },
        ],
      })}
    </section>
    ${rowTable(t, {
      caption: t("days_of", { month }),
      // An open day on which nothing moved is in the calendar.
      rows: days.filter(({ state, gross, net }) => state !== DayState.OPEN || gross !== 0n || net !== 0n),
      columns: {
        day: ({ day }) =>
          html`<a class="nowrap" href="${dayAddress(visit, day)}">${visit.format.day(day)}</a>`,
        state: ({ state }) => stateBadge(visit, state),
        gross: ({ gross }) => money(gross),
        fees: ({ fees }) => money(fees),
        net: ({ net }) => money(net),
        difference_count: ({ differenceCount }) => differenceCount.toLocaleString(visit.language),
        difference: ({ difference }) => money(difference),
      },
      numbers: ["gross", "fees", "net", "difference_count", "difference"],
      empty: html`<p>${t("month_none")}</p>`,
    })}`;
}

function dayAddress(visit: Visit, day: string): string {
  return visit.path(`/reconciliation/days/${day}`);
}
