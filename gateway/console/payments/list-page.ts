import type {
  SearchPaymentsResponse,
  SummarizePaymentsResponse,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { liveFilters } from "../fields/live-filters.ts";
import { consolePage } from "../frame.ts";
import {
  inputField,
  periodFields,
  problemList,
  selectField,
  type InputParts,
  type Option,
} from "../parts/form.ts";
import { methodText, paymentBadge, time } from "../parts/show.ts";
import { pager, table } from "../parts/table.ts";
import type { Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import type { MessageKey } from "../messages.ts";
import { presentDay, today } from "../day.ts";
import { addressOf, isById, METHODS, STATUSES, type Chosen } from "./filter.ts";
import { foundText, totalsCard } from "./totals.ts";
import { messagesIn } from "./messages.ts";

/** The data of a list page. */
export interface Found {
  readonly page: SearchPaymentsResponse;
  readonly summary: SummarizePaymentsResponse;
}

// Ids of parts outside the list that depend on the filters.
const EXPORT = "export";
const PERIODS = "periods";

/** Returns the list of payments. It shows no payments when the filter was refused. */
export function listPage(visit: Visit, chosen: Chosen, found: Found | undefined, problems: Problems): Html {
  const t = messagesIn(visit.language);
  return consolePage(visit, {
    title: t("title"),
    section: "/payments",
    actions: visit.can("payments.export")
      ? html`<span id="${EXPORT}">${found ? exportLink(visit, chosen, found) : ""}</span>`
      : "",
    content: html`${quickLinks(visit, chosen)} ${filterForm(visit, chosen, problems)}
      <div id="found" role="status">${found ? countText(visit, chosen, found) : ""}</div>
      <div id="list">${found ? results(visit, chosen, found) : problemList(visit, problems)}</div>`,
  });
}

function exportLink(visit: Visit, chosen: Chosen, { summary }: Found): Html | "" {
  if (summary.paymentCount === 0n) return "";
  return html`<a class="button" href="${addressOf(visit.path("/payments/export"), chosen)}"
    >${messagesIn(visit.language)("export")}</a
  >`;
}

function countText(visit: Visit, chosen: Chosen, { summary }: Found): Html {
  return html`<p>
    <strong>${foundText(visit, summary.paymentCount)}</strong>
    ${isById(chosen) ? html`<span class="quiet">${messagesIn(visit.language)("by_id")}</span>` : ""}
  </p>`;
}

function results(visit: Visit, chosen: Chosen, { page, summary }: Found): Html {
  const t = messagesIn(visit.language);
  const after = visit.query["after"] ?? "";
  const base = visit.path("/payments");
  const isToday = chosen.from === today() && chosen.q === "";
  return html`<div class="results">
    ${totalsCard(visit, summary)}
    ${table({
      caption: t("payments_of"),
      columns: [
        { title: t("payment") },
        { title: t("time") },
        { title: t("status") },
        { title: t("reference") },
        { title: t("method") },
        { title: t("gross"), isNumber: true },
        { title: t("fee"), isNumber: true },
        { title: t("net"), isNumber: true },
      ],
      rows: page.payments.map((payment) => [
        html`<a class="id short" href="${visit.path(`/payments/${payment.id}`)}" title="${payment.id}"
          >${payment.id}</a
        >`,
        time(visit, payment.createdAt),
        paymentBadge(visit, payment.status),
        html`<bdi class="reference">${payment.reference ?? "—"}</bdi>`,
        html`<span class="nowrap"
          >${methodText(visit, payment.paymentMethod)}${
            payment.installments === undefined ? "" : ` ${payment.installments}×`
          }</span
        >`,
        visit.format.money(payment.grossAmount, payment.grossCurrency),
        visit.format.money(payment.feeAmount, payment.feeCurrency),
        visit.format.money(payment.netAmount, payment.netCurrency),
      ]),
      empty: html`<h2>${t("empty_title")}</h2>
        <p>${t(isToday ? "empty_today" : "empty_text")}</p>`,
    })}
    ${pager(visit, {
      next: page.nextCursor === undefined ? undefined : addressOf(base, chosen, { after: page.nextCursor }),
      first: after === "" ? undefined : addressOf(base, chosen),
    })}
  </div>`;
}

function quickLinks(visit: Visit, chosen: Chosen): Html {
  const t = messagesIn(visit.language);
  const now = presentDay();
  const periods = [
    ["today", now, now],
    ["yesterday", now.subtract({ days: 1 }), now.subtract({ days: 1 })],
    ["last_7_days", now.subtract({ days: 6 }), now],
    ["this_month", now.with({ day: 1 }), now],
  ] as const;
  return html`<nav class="quick" id="${PERIODS}" aria-label="${t("quick")}">
    ${periods.map(([word, from, to]) => {
      const change = { from: from.toString(), to: to.toString() };
      const isCurrent = chosen.from === change.from && chosen.to === change.to;
      return html`<a
        href="${addressOf(visit.path("/payments"), chosen, change)}"
        ${isCurrent ? html` aria-current="true"` : ""}
        >${t(word)}</a
      >`;
    })}
  </nav>`;
}

function filterForm(visit: Visit, chosen: Chosen, problems: Problems): Html {
  const t = messagesIn(visit.language);
  // A status's message key is `status_` and its word in the contract.
  const statuses = [...STATUSES.keys()].map((word): Option => [
    word,
    visit.t(`status_${word}` as MessageKey),
  ]);
  const methods = [...METHODS].map(([word, method]): Option => [word, methodText(visit, method)]);
  const all: Option = ["", visit.t("all")];
  const day = (name: "from" | "to"): InputParts => {
    return { name, label: t(name), value: chosen[name], problems };
  };
  return liveFilters(
    visit.path("/payments"),
    html`${chosen.link === "" ? "" : html`<input type="hidden" name="link" value="${chosen.link}" />`}
    ${periodFields(day("from"), day("to"))}
    ${selectField({ name: "status", label: t("status"), options: [all, ...statuses], value: chosen.status, problems })}
    ${selectField({ name: "method", label: t("method"), options: [all, ...methods], value: chosen.method, problems })}
    ${selectField({
      name: "net",
      label: t("net_currency"),
      options: [all, ["BRL", "BRL"], ["USD", "USD"]],
      value: chosen.net,
      problems,
    })}
    ${inputField({
      name: "q",
      type: "search",
      label: t("search_label"),
      value: chosen.q,
      maxLength: 255,
      problems,
    })}`,
    t("show"),
    { href: visit.path("/payments"), text: t("clear") },
    [EXPORT, PERIODS],
  );
}
