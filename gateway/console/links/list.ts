import type { ListedPaymentLink, ListPaymentLinksResponse } from "../../../gen/paylink/links/v1/links_pb.ts";
import { html, type Html } from "../../pages/html.ts";
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
import { messagesIn, type Translate } from "./messages.ts";

/** Returns the list of links. It shows no links when the filter was refused. */
export function listPage(
  visit: Visit,
  found: ListPaymentLinksResponse | undefined,
  problems: Problems = NO_PROBLEMS,
): Html {
  const t = messagesIn(visit.language);
  const typed = Typed.asked(visit);
  const isNew = visit.can("links.write");
  return consolePage(visit, {
    title: t("title"),
    section: "/links",
    actions: isNew ? html`<a class="button primary" href="${visit.path("/links/new")}">${t("new")}</a>` : "",
    content: html`${filters(visit, t, typed, problems)}
      <p class="quiet" id="found" role="status">${found ? countText(t, found.data.length) : ""}</p>
      <div id="list">${found ? content(visit, t, typed, found) : problemList(visit, problems)}</div>`,
  });
}

function filters(visit: Visit, t: Translate, typed: Typed, problems: Problems): Html {
  const field = { problems };
  return liveFilters(
    visit.path("/links"),
    html`<div class="field wide">
        ${inputField({
          ...field,
          name: "query",
          type: "search",
          label: t("search_label"),
          value: typed.text("query"),
          maxLength: 255,
          attributes: html`placeholder="${t("search_help")}"`,
        })}
      </div>
      ${selectField({
        ...field,
        name: "status",
        label: t("status"),
        value: typed.text("status"),
        options: [
          ["", visit.t("all")],
          ["active", t("status_active")],
          ["completed", t("status_completed")],
          ["expired", t("status_expired")],
          ["canceled", t("status_canceled")],
        ],
      })}
      ${selectField({
        ...field,
        name: "kind",
        label: t("kind"),
        value: typed.text("kind"),
        options: [
          ["", visit.t("all")],
          ["single", t("single")],
          ["campaign", t("campaign")],
        ],
      })}
      ${periodFields(
        { ...field, name: "from", label: t("from"), value: typed.text("from") },
        { ...field, name: "to", label: t("to"), value: typed.text("to") },
      )}`,
    t("filter"),
    { href: visit.path("/links"), text: t("clear") },
  );
}

function countText(t: Translate, count: number): string {
  if (count === 0) return t("found_none");
  return count === 1 ? t("found_one") : t("found", { n: count });
}

function content(
  visit: Visit,
  t: Translate,
  typed: Typed,
  { data, nextCursor }: ListPaymentLinksResponse,
): Html {
  const asked = filtersOf(typed);
  const address = (after: string | undefined): string => withQuery(visit.path("/links"), { ...asked, after });
  return html`${table({
    caption: t("caption"),
    columns: [
      { title: t("name") },
      { title: t("status") },
      { title: t("amount"), isNumber: true },
      { title: t("created") },
      { title: t("expires") },
      { title: t("actions") },
    ],
    rows: data.map((listed) => row(visit, t, listed)),
    empty: empty(visit, t, Object.values(asked).some(Boolean)),
  })}
  ${pager(visit, {
    next: nextCursor === undefined ? undefined : address(nextCursor),
    first: typed.text("after") === "" ? undefined : address(undefined),
  })}`;
}

function row(
  visit: Visit,
  t: Translate,
  { paymentLink: link, details }: ListedPaymentLink,
): (Html | string)[] {
  if (!link) return [];
  const copied = `address-${link.id}`;
  return [
    html`<a href="${visit.path(`/links/${link.id}`)}">${linkName(t, link)}</a>
      ${link.reference && link.description ? html`<br /><span class="quiet">${link.reference}</span>` : ""}`,
    html`${linkBadge(t, link.status)} ${details?.isCampaign ? badge("plain", t("campaign")) : ""}`,
    visit.format.money(link.amount, link.currency),
    time(visit, link.created),
    expiryText(visit, link.expiresAt),
    html`<span class="row-actions"
      >${openPage(t, link)}
      <input
        class="hidden"
        id="${copied}"
        value="${link.checkoutUrl}"
        readonly
        tabindex="-1"
        aria-hidden="true"
      />
      <button type="button" data-copy="${copied}" data-copied="${visit.t("copied")}" hidden>
        ${t("copy_link")}
      </button></span
    >`,
  ];
}

function empty(visit: Visit, t: Translate, isFiltered: boolean): Html {
  if (isFiltered) {
    return html`<p>${t("no_match")}</p>
      <p><a href="${visit.path("/links")}">${t("clear")}</a></p>`;
  }
  if (!visit.can("links.write"))
    return html`<p>${t("empty_title")}</p>
      <p>${t("empty_viewer")}</p>`;
  return html`<p><strong>${t("empty_title")}</strong></p>
    <p>${t("empty_text")}</p>
    <p><a class="button primary" href="${visit.path("/links/new")}">${t("new")}</a></p>`;
}
