import type { ListQuotesResponse, StoredQuote } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { liveFilters } from "../fields/live-filters.ts";
import { Typed } from "../fields/typed.ts";
import { consolePage } from "../frame.ts";
import { inputField, problemList, selectField } from "../parts/form.ts";
import { notice, time } from "../parts/show.ts";
import { pager, table, withQuery } from "../parts/table.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { quoteBadge, quotedWay } from "./show.ts";
import { messagesIn, type Translate } from "./messages.ts";

/** Returns the list of quotes. It shows no quotes when the filter was refused. */
export function listPage(
  visit: Visit,
  found: ListQuotesResponse | undefined,
  problems: Problems = NO_PROBLEMS,
): Html {
  const t = messagesIn(visit.language);
  const typed = Typed.asked(visit);
  const isNew = visit.can("links.write");
  return consolePage(visit, {
    title: t("title"),
    section: "/quotes",
    actions: isNew ? html`<a class="button primary" href="${visit.path("/quotes/new")}">${t("new")}</a>` : "",
    content: html`${made(t, typed.text("made"))} ${filters(visit, t, typed, problems)}
      <p class="quiet" id="found" role="status">${found ? countText(t, found.data.length) : ""}</p>
      <div id="list">${found ? content(visit, t, typed, found) : problemList(visit, problems)}</div>`,
  });
}

function made(t: Translate, count: string): Html | "" {
  if (!/^\d{1,2}$/.test(count)) return "";
  return notice(count === "0" ? t("made_none") : t("made_many", { n: count }));
}

function filters(visit: Visit, t: Translate, typed: Typed, problems: Problems): Html {
  return liveFilters(
    visit.path("/quotes"),
    html`<div class="field wide">
        ${inputField({
          name: "query",
          type: "search",
          label: t("search_label"),
          value: typed.text("query"),
          maxLength: 255,
          attributes: html`placeholder="${t("search_help")}"`,
          problems,
        })}
      </div>
      ${selectField({
        name: "status",
        label: t("status"),
        value: typed.text("status"),
        options: [
          ["", visit.t("all")],
          ["open", t("status_open")],
          ["consumed", t("status_consumed")],
          ["expired", t("status_expired")],
        ],
        problems,
      })}`,
    t("filter"),
    { href: visit.path("/quotes"), text: t("clear") },
  );
}

function countText(t: Translate, count: number): string {
  if (count === 0) return t("found_none");
  return count === 1 ? t("found_one") : t("found", { n: count });
}

function content(visit: Visit, t: Translate, typed: Typed, { data, nextCursor }: ListQuotesResponse): Html {
  const asked = { query: typed.text("query"), status: typed.text("status") };
  const address = (after: string | undefined): string =>
    withQuery(visit.path("/quotes"), { ...asked, after });
  return html`${table({
    caption: t("caption"),
    columns: [
      { title: t("quote") },
      { title: t("status") },
      { title: t("asked"), isNumber: true },
      { title: t("payer_pays"), isNumber: true },
      { title: t("you_receive"), isNumber: true },
      { title: t("created") },
      { title: t("valid_until") },
      { title: t("link") },
    ],
    rows: data.map((stored) => row(visit, t, stored)),
    empty: empty(visit, t, Object.values(asked).some(Boolean)),
  })}
  ${pager(visit, {
    next: nextCursor === undefined ? undefined : address(nextCursor),
    first: typed.text("after") === "" ? undefined : address(undefined),
  })}`;
}

function row(visit: Visit, t: Translate, { quote, details }: StoredQuote): (Html | string)[] {
  if (!quote || !details) return [];
  const { format } = visit;
  const { linkId, reference } = details;
  return [
    html`<a href="${visit.path(`/quotes/${quote.id}`)}">${quotedWay(visit, quote)}</a> <br /><span
        class="quiet id"
        >${quote.id}</span
      >`,
    quoteBadge(t, details.status),
    format.money(details.amount, details.currency),
    format.money(quote.payerTotal, quote.payerCurrency),
    format.money(quote.receiverNet, quote.receiverCurrency),
    time(visit, quote.createdAt),
    time(visit, quote.expiresAt),
    linkId ? html`<a href="${visit.path(`/links/${linkId}`)}">${reference ?? t("open_link")}</a>` : "—",
  ];
}

function empty(visit: Visit, t: Translate, isFiltered: boolean): Html {
  if (isFiltered) {
    return html`<p>${t("no_match")}</p>
      <p><a href="${visit.path("/quotes")}">${t("clear")}</a></p>`;
  }
  if (!visit.can("links.write"))
    return html`<p>${t("empty_title")}</p>
      <p>${t("empty_viewer")}</p>`;
  return html`<p><strong>${t("empty_title")}</strong></p>
    <p>${t("empty_text")}</p>
    <p><a class="button primary" href="${visit.path("/quotes/new")}">${t("new")}</a></p>`;
}
