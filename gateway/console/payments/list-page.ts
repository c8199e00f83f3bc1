import { html } from "hono/html";
import type { Html } from "../../pages/html.ts";
import { presentDay, today } from "../day.ts";
import { list, type View } from "../list/list.ts";
import { methodText, paymentBadge, time } from "../parts/show.ts";
import { filterOf, filters, isById, type Chosen } from "./filter.ts";
import { foundText, totalsCard } from "./totals.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

const PAGE = 50;

/** The payments of a period, with their sums. */
export const paymentsList = list({
  path: "/payments",
  permission: "payments.read",
  messages: messagesIn,
  title: "title",
  caption: "payments_of",
  filters,
  isLive: true,
  fetch: async ({ core, as }, { cursor, values }) => {
    const filter = filterOf(values);
    const [{ payments, nextCursor }, summary] = await Promise.all([
      core.ledger.searchPayments({ filter, limit: PAGE, ...cursor }, as),
      core.ledger.summarizePayments({ filter }, as),
    ]);
    return { rows: payments, next: nextCursor, summary };
  },
  actions: ({ visit, t, found, address }) =>
    visit.can("payments.export") && found.summary.paymentCount > 0n
      ? html`<a class="button" href="${address({}, "/payments/export")}">${t("export")}</a>`
      : "",
  above: quickLinks,
  count: ({ visit, t, values, found }) =>
    html`<p>
      <strong>${foundText(visit, found.summary.paymentCount)}</strong>
      ${isById(values) ? html`<span class="quiet">${t("by_id")}</span>` : ""}
    </p>`,
  around: (table, { visit, found }) =>
    html`<div class="results">${totalsCard(visit, found.summary)} ${table}</div>`,
  columns: ({ visit }) => ({
    payment: ({ id }) =>
      html`<a class="id short" href="${visit.path(`/payments/${id}`)}" title="${id}">${id}</a>`,
    time: ({ createdAt }) => time(visit, createdAt),
    status: ({ status }) => paymentBadge(visit, status),
    reference: ({ reference }) => html`<bdi class="reference">${reference ?? "—"}</bdi>`,
    method: ({ paymentMethod, installments }) =>
      html`<span class="nowrap"
        >${methodText(visit, paymentMethod)}${installments === undefined ? "" : ` ${installments}×`}</span
      >`,
    gross: ({ grossAmount, grossCurrency }) => visit.format.money(grossAmount, grossCurrency),
    fee: ({ feeAmount, feeCurrency }) => visit.format.money(feeAmount, feeCurrency),
    net: ({ netAmount, netCurrency }) => visit.format.money(netAmount, netCurrency),
  }),
  numbers: ["gross", "fee", "net"],
  empty: ({ values: { from, q } }) => [
    "empty_title",
    from === today() && q === "" ? "empty_today" : "empty_text",
  ],
});

/** Returns the links to usual periods. */
function quickLinks({ t, values, address }: View<keyof Chosen, MessageKey>): Html {
  const now = presentDay();
  const periods = [
    ["today", now, now],
    ["yesterday", now.subtract({ days: 1 }), now.subtract({ days: 1 })],
    ["last_7_days", now.subtract({ days: 6 }), now],
    ["this_month", now.with({ day: 1 }), now],
  ] as const;
  return html`<nav class="quick" aria-label="${t("quick")}">
    ${periods.map(([word, first, last]) => {
      const [from, to] = [first.toString(), last.toString()];
      const isCurrent = values.from === from && values.to === to;
      return html`<a href="${address({ from, to })}" ${isCurrent ? html` aria-current="true"` : ""}
        >${t(word)}</a
      >`;
    })}
  </nav>`;
}
