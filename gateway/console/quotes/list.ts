import { html } from "hono/html";
import type { ListQuotesResponse, StoredQuote } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { Html } from "../../pages/html.ts";
import { liveFilters } from "../fields/live-filters.ts";
import { Typed } from "../fields/typed.ts";
import { consolePage } from "../frame.ts";
import { inputField, problemList, selectField } from "../parts/form.ts";
import { notice, time } from "../parts/show.ts";
import { pager, table, withQuery } from "../parts/table.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { quoteBadge, quotedWay } from "./show.ts";
import { sayIn, type Say } from "./words.ts";

/** The list of quotes; without a page of them when what was asked for is refused. */
export function listPage(
  visit: Visit,
  found: ListQuotesResponse | undefined,
  problems: Problems = NO_PROBLEMS,
): Html {
  const say = sayIn(visit.language);
  const typed = Typed.asked(visit);
  const isNew = visit.can("links.write");
  return consolePage(visit, {
    title: say("title"),
    section: "/quotes",
    actions: isNew
      ? html`<a class="button primary" href="${visit.path("/quotes/new")}">${say("new")}</a>`
      : "",
    content: html`${made(say, typed.text("made"))} ${filters(visit, say, typed, problems)}
      <p class="quiet" id="found" role="status">${found ? countText(say, found.data.length) : ""}</p>
      <div id="list">${found ? content(visit, say, typed, found) : problemList(visit, problems)}</div>`,
  });
}

function made(say: Say, count: string): Html | "" {
  if (!/^\d{1,2}$/.test(count)) return "";
  return notice(count === "0" ? say("made_none") : say("made_many", { n: count }));
}

function filters(visit: Visit, say: Say, typed: Typed, problems: Problems): Html {
  return liveFilters(
    visit.path("/quotes"),
    html`<div class="field wide">
        ${inputField({
          name: "query",
          type: "search",
          label: say("search_label"),
          value: typed.text("query"),
          maxLength: 255,
          attributes: html`placeholder="${say("search_help")}"`,
          problems,
        })}
      </div>
      ${selectField({
        name: "status",
        label: say("status"),
        value: typed.text("status"),
        options: [
          ["", visit.say("all")],
          ["open", say("status_open")],
          ["consumed", say("status_consumed")],
          ["expired", say("status_expired")],
        ],
        problems,
      })}`,
    say("filter"),
    { href: visit.path("/quotes"), text: say("clear") },
  );
}

function countText(say: Say, count: number): string {
  if (count === 0) return say("found_none");
  return count === 1 ? say("found_one") : say("found", { n: count });
}

function content(visit: Visit, say: Say, typed: Typed, { data, nextCursor }: ListQuotesResponse): Html {
  const asked = { query: typed.text("query"), status: typed.text("status") };
  const address = (after: string | undefined): string =>
    withQuery(visit.path("/quotes"), { ...asked, after });
  return html`${table({
    caption: say("caption"),
    columns: [
      { title: say("quote") },
      { title: say("status") },
      { title: say("asked"), isNumber: true },
      { title: say("payer_pays"), isNumber: true },
      { title: say("you_receive"), isNumber: true },
      { title: say("created") },
      { title: say("valid_until") },
      { title: say("link") },
    ],
    rows: data.map((stored) => row(visit, say, stored)),
    empty: empty(visit, say, Object.values(asked).some(Boolean)),
  })}
  ${pager(visit, {
    next: nextCursor === undefined ? undefined : address(nextCursor),
    first: typed.text("after") === "" ? undefined : address(undefined),
  })}`;
}

function row(visit: Visit, say: Say, { quote, details }: StoredQuote): (Html | string)[] {
  if (!quote || !details) return [];
  const { format } = visit;
  const { linkId, reference } = details;
  return [
    html`<a href="${visit.path(`/quotes/${quote.id}`)}">${quotedWay(visit, quote)}</a> <br /><span
        class="quiet id"
        >${quote.id}</span
      >`,
    quoteBadge(say, details.status),
    format.money(details.amount, details.currency),
    format.money(quote.payerTotal, quote.payerCurrency),
    format.money(quote.receiverNet, quote.receiverCurrency),
    time(visit, quote.createdAt),
    time(visit, quote.expiresAt),
    linkId ? html`<a href="${visit.path(`/links/${linkId}`)}">${reference ?? say("open_link")}</a>` : "—",
  ];
}

function empty(visit: Visit, say: Say, isFiltered: boolean): Html {
  if (isFiltered) {
    return html`<p>${say("no_match")}</p>
      <p><a href="${visit.path("/quotes")}">${say("clear")}</a></p>`;
  }
  if (!visit.can("links.write"))
    return html`<p>${say("empty_title")}</p>
      <p>${say("empty_viewer")}</p>`;
  return html`<p><strong>${say("empty_title")}</strong></p>
    <p>${say("empty_text")}</p>
    <p><a class="button primary" href="${visit.path("/quotes/new")}">${say("new")}</a></p>`;
}
