import { html } from "hono/html";
import type { ListedPaymentLink, ListPaymentLinksResponse } from "../../../gen/paylink/links/v1/links_pb.ts";
import type { Html } from "../../pages/html.ts";
import { liveFilters } from "../fields/live-filters.ts";
import { Typed } from "../fields/typed.ts";
import { consolePage } from "../frame.ts";
import { inputField, periodFields, problemList, selectField } from "../parts/form.ts";
import { badge, time } from "../parts/show.ts";
import { pager, table, withQuery } from "../parts/table.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { filtersOf } from "./filter.ts";
import { expiryText, linkBadge, linkName, openPage } from "./show.ts";
import { sayIn, type Say } from "./words.ts";

/** The list of links; without a page of them when what was asked for is refused. */
export function listPage(
  visit: Visit,
  found: ListPaymentLinksResponse | undefined,
  problems: Problems = NO_PROBLEMS,
): Html {
  const say = sayIn(visit.language);
  const typed = Typed.asked(visit);
  const isNew = visit.can("links.write");
  return consolePage(visit, {
    title: say("title"),
    section: "/links",
    actions: isNew
      ? html`<a class="button primary" href="${visit.path("/links/new")}">${say("new")}</a>`
      : "",
    content: html`${filters(visit, say, typed, problems)}
      <p class="quiet" id="found" role="status">${found ? countText(say, found.data.length) : ""}</p>
      <div id="list">${found ? content(visit, say, typed, found) : problemList(visit, problems)}</div>`,
  });
}

function filters(visit: Visit, say: Say, typed: Typed, problems: Problems): Html {
  const field = { problems };
  return liveFilters(
    visit.path("/links"),
    html`<div class="field wide">
        ${inputField({
          ...field,
          name: "query",
          type: "search",
          label: say("search_label"),
          value: typed.text("query"),
          maxLength: 255,
          attributes: html`placeholder="${say("search_help")}"`,
        })}
      </div>
      ${selectField({
        ...field,
        name: "status",
        label: say("status"),
        value: typed.text("status"),
        options: [
          ["", visit.say("all")],
          ["active", say("status_active")],
          ["completed", say("status_completed")],
          ["expired", say("status_expired")],
          ["canceled", say("status_canceled")],
        ],
      })}
      ${selectField({
        ...field,
        name: "kind",
        label: say("kind"),
        value: typed.text("kind"),
        options: [
          ["", visit.say("all")],
          ["single", say("single")],
          ["campaign", say("campaign")],
        ],
      })}
      ${periodFields(
        { ...field, name: "from", label: say("from"), value: typed.text("from") },
        { ...field, name: "to", label: say("to"), value: typed.text("to") },
      )}`,
    say("filter"),
    { href: visit.path("/links"), text: say("clear") },
  );
}

function countText(say: Say, count: number): string {
  if (count === 0) return say("found_none");
  return count === 1 ? say("found_one") : say("found", { n: count });
}

function content(visit: Visit, say: Say, typed: Typed, { data, nextCursor }: ListPaymentLinksResponse): Html {
  const asked = filtersOf(typed);
  const address = (after: string | undefined): string => withQuery(visit.path("/links"), { ...asked, after });
  return html`${table({
    caption: say("caption"),
    columns: [
      { title: say("name") },
      { title: say("status") },
      { title: say("amount"), isNumber: true },
      { title: say("created") },
      { title: say("expires") },
      { title: say("actions") },
    ],
    rows: data.map((listed) => row(visit, say, listed)),
    empty: empty(visit, say, Object.values(asked).some(Boolean)),
  })}
  ${pager(visit, {
    next: nextCursor === undefined ? undefined : address(nextCursor),
    first: typed.text("after") === "" ? undefined : address(undefined),
  })}`;
}

function row(visit: Visit, say: Say, { paymentLink: link, details }: ListedPaymentLink): (Html | string)[] {
  if (!link) return [];
  const copied = `address-${link.id}`;
  return [
    html`<a href="${visit.path(`/links/${link.id}`)}">${linkName(say, link)}</a>
      ${link.reference && link.description ? html`<br /><span class="quiet">${link.reference}</span>` : ""}`,
    html`${linkBadge(say, link.status)} ${details?.isCampaign ? badge("plain", say("campaign")) : ""}`,
    visit.format.money(link.amount, link.currency),
    time(visit, link.created),
    expiryText(visit, link.expiresAt),
    html`<span class="row-actions"
      >${openPage(say, link)}
      <input
        class="hidden"
        id="${copied}"
        value="${link.checkoutUrl}"
        readonly
        tabindex="-1"
        aria-hidden="true"
      />
      <button type="button" data-copy="${copied}" data-copied="${visit.say("copied")}" hidden>
        ${say("copy_link")}
      </button></span
    >`,
  ];
}

function empty(visit: Visit, say: Say, isFiltered: boolean): Html {
  if (isFiltered) {
    return html`<p>${say("no_match")}</p>
      <p><a href="${visit.path("/links")}">${say("clear")}</a></p>`;
  }
  if (!visit.can("links.write"))
    return html`<p>${say("empty_title")}</p>
      <p>${say("empty_viewer")}</p>`;
  return html`<p><strong>${say("empty_title")}</strong></p>
    <p>${say("empty_text")}</p>
    <p><a class="button primary" href="${visit.path("/links/new")}">${say("new")}</a></p>`;
}
