import { PaymentStatus, type ListedSeal, type PaymentSum } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { RefundSum } from "../../../gen/paylink/refunds/v1/refunds_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { consolePage } from "../frame.ts";
import { buttonForm, inputField } from "../parts/form.ts";
import { badge } from "../parts/show.ts";
import { table } from "../parts/table.ts";
import { refundedText } from "../payments/refund-sums.ts";
import { presentDay } from "../day.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { messagesIn } from "./messages.ts";

/** The days of a month that have begun, newest first. Totals are current ones; seals have their own. */
export interface Month {
  readonly first: Temporal.PlainDate;
  readonly days: readonly Temporal.PlainDate[];
  readonly totals: readonly PaymentSum[];
  readonly seals: readonly ListedSeal[];
  /** The first day that can be closed. */
  readonly firstDay: string;
  /** What went back, by day. */
  readonly refunds: ReadonlyMap<string, readonly RefundSum[]>;
  readonly problems: Problems;
}

export function monthPage(visit: Visit, month: Month): Html {
  const t = messagesIn(visit.language);
  const name = visit.format.month(month.first);
  const other = (months: number): string =>
    `${visit.path("/close")}?month=${month.first.add({ months }).toString().slice(0, 7)}`;
  const totals = Map.groupBy(month.totals, ({ day = "" }) => day);
  const seals = new Map(month.seals.map((listed) => [listed.seal?.day ?? "", listed]));
  return consolePage(visit, {
    title: t("title"),
    section: "/close",
    content: html`<p>${t("intro")}</p>
      <form class="filters" method="get" action="${visit.path("/close")}">
        ${inputField({
          name: "month",
          type: "month",
          label: t("month"),
          value: month.first.toString().slice(0, 7),
          problems: month.problems,
        })}
        <button class="primary">${t("show")}</button>
      </form>
      <nav class="quick" aria-label="${t("month")}">
        <a rel="prev" href="${other(-1)}">← ${t("previous_month")}</a>
        <a rel="next" href="${other(1)}">${t("next_month")} →</a>
      </nav>
      <h2>${name}</h2>
      ${table({
        caption: t("days_of", { month: name }),
        columns: [
          { title: t("day"), pocket: "first" },
          { title: t("state"), pocket: "second" },
          { title: t("count"), isNumber: true, pocket: "none" },
          { title: t("paid_gross"), isNumber: true, pocket: "first" },
          { title: t("paid_net"), isNumber: true, pocket: "none" },
          { title: t("went_back"), isNumber: true, pocket: "none" },
          { title: t("changes"), isNumber: true, pocket: "none" },
          ...(visit.can("close.seal") ? [{ title: t("action"), pocket: "second" as const }] : []),
        ],
        emptyRows: new Set(
          month.days.flatMap((date, index) => {
            const day = date.toString();
            return totals.has(day) || seals.has(day) || month.refunds.has(day) ? [] : [index];
          }),
        ),
        rows: month.days.map((day) =>
          dayCells(visit, day, {
            current: totals.get(day.toString()) ?? [],
            listed: seals.get(day.toString()),
            refunds: month.refunds.get(day.toString()),
            firstDay: month.firstDay,
          }),
        ),
        empty: html`<h2>${t("empty_title")}</h2>
          <p>${t("empty_text")}</p>`,
      })}`,
  });
}

function dayCells(
  visit: Visit,
  date: Temporal.PlainDate,
  {
    current,
    listed,
    refunds,
    firstDay,
  }: {
    readonly current: readonly PaymentSum[];
    readonly listed: ListedSeal | undefined;
    readonly refunds: readonly RefundSum[] | undefined;
    readonly firstDay: string;
  },
): (Html | string)[] {
  const t = messagesIn(visit.language);
  const day = date.toString();
  const isOver = Temporal.PlainDate.compare(date, presentDay()) < 0;
  // A sealed day shows its sealed totals. Later changes have a column of their own.
  const totals = listed?.seal?.totals ?? current;
  const paid = totals.filter(({ status }) => status === PaymentStatus.SUCCEEDED);
  const count = totals.reduce((sum, { paymentCount }) => sum + paymentCount, 0n);
  const changed = listed?.changedCount ?? 0n;
  const state = listed
    ? badge("good", t("sealed"))
    : day < firstDay
      ? "—"
      : isOver && count === 0n
        ? badge("plain", t("no_payments"))
        : badge(isOver ? "warn" : "plain", t(isOver ? "open" : "running"));
  const action =
    isOver && !listed && day >= firstDay
      ? buttonForm(visit, visit.path(`/close/${day}/seal`), t("seal"), {
          question: t("seal_question", { day: visit.format.day(day) }),
        })
      : "";
  return [
    html`<a class="nowrap" href="${visit.path(`/close/${day}`)}">${visit.format.day(day)}</a>`,
    state,
    count.toLocaleString(visit.language),
    lines(paid.map((sum) => visit.format.money(sum.grossAmount, sum.grossCurrency))),
    lines(paid.map((sum) => visit.format.money(sum.netAmount, sum.netCurrency))),
    refundedText(visit, refunds),
    listed ? (changed === 0n ? "0" : badge("warn", changed.toLocaleString(visit.language))) : "—",
    ...(visit.can("close.seal") ? [action] : []),
  ];
}

function lines(texts: readonly string[]): Html | string {
  return texts.length === 0
    ? "—"
    : html`${texts.map((text, index) => html`${index > 0 ? html`<br />` : ""}${text}`)}`;
}
