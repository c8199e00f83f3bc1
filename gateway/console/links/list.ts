import {
  ListPaymentLinksRequestSchema,
  PaymentLinkKind,
  PaymentLinkKindSchema,
  PaymentLinkOrder,
  PaymentLinkStatusSchema,
  type PaymentLink,
} from "../../../gen/paylink/links/v1/links_pb.ts";
import { wordsOf } from "../../../contract/enum-words.ts";
import { html, type Html } from "../../pages/html.ts";
import { enumOptions, Filters } from "../list/filters.ts";
import { COUNTED_MAX, countOnPage, list } from "../list/list.ts";
import { badge, copyButton, cut, time } from "../parts/show.ts";
import { expiryText, linkBadge, linkName, openPage, statusText } from "./show.ts";
import { choiceBox, manyForm, manyNotice } from "./many.ts";
import { messagesIn, type Translate } from "./messages.ts";

const PAGE = 20;
const orders = wordsOf(PaymentLinkOrder);

const filters = new Filters(ListPaymentLinksRequestSchema, messagesIn, {
  query: { kind: "search", label: "search_label", placeholder: "search_help" },
  status: {
    kind: "choice",
    label: "status",
    options: (_, t) => enumOptions(PaymentLinkStatusSchema, (status) => statusText(t, status)),
  },
  kind: {
    kind: "choice",
    label: "kind",
    options: (_, t) =>
      enumOptions(PaymentLinkKindSchema, (kind) =>
        t(kind === PaymentLinkKind.CAMPAIGN ? "campaign" : "single"),
      ),
  },
  from: { kind: "day", label: "from", refused: "period_refused" },
  to: { kind: "day", label: "to", refused: "period_refused" },
});

/** The payment links, newest first. */
export const linksList = list({
  path: "/links",
  permission: "links.read",
  messages: messagesIn,
  title: "title",
  caption: "caption",
  filters,
  fetch: async (visit, { filter, cursor, order: word }) => {
    const order = orders.numberOf(word);
    const { page, linkCount } = await visit.core.links.searchPaymentLinks(
      { filter: { ...filter, ...cursor, limit: PAGE }, ...(order ? { order } : {}) },
      visit.as,
    );
    const { data = [], nextCursor } = page ?? {};
    const rows = data.flatMap(({ paymentLink: link, details }) =>
      link ? [{ link, isCampaign: details?.isCampaign ?? false }] : [],
    );
    return { rows, next: nextCursor, linkCount };
  },
  actions: ({ visit, t }) =>
    visit.can("links.write")
      ? html`<a class="button" href="${visit.path("/links/import")}">${t("import")}</a>`
      : "",
  above: ({ visit, t }) => manyNotice(visit, t),
  around: (table, { visit, t, found: { rows } }) =>
    html`${table} ${visit.can("links.write") && rows.length > 0 ? manyForm(visit, t) : ""}`,
  create: { path: "/links/new", permission: "links.write", label: "new" },
  total: ({ linkCount }) => BigInt(linkCount),
  totalMax: COUNTED_MAX,
  sorts: {
    created: ["created_desc", "created_asc"],
    amount: ["amount_desc", "amount_asc"],
  },
  count: ({ t, found }) => countOnPage(t, found),
  columns: ({ visit, t }) => ({
    name: ({ link }) => {
      const name = linkName(t, link);
      return html`<span class="chosen"
        >${visit.can("links.write") ? choiceBox(t, link.id, name) : ""}
        <a class="cut" href="${visit.path(`/links/${link.id}`)}" title="${name}"><bdi>${name}</bdi></a></span
      >`;
    },
    status: ({ link, isCampaign }) =>
      html`${linkBadge(t, link.status)} ${isCampaign ? badge("plain", t("campaign")) : ""}`,
    amount: ({ link }) => visit.format.money(link.amount, link.currency),
    created: ({ link }) => time(visit, link.created),
    expires: ({ link }) => expiryText(visit, link.expiresAt, time),
    reference: ({ link }) => (link.description && link.reference ? cut(link.reference, "reference") : "—"),
    actions: ({ link }) => actions(t, link),
  }),
  numbers: ["amount"],
  isOfLines: true,
  pocket: ["status", "created"],
  empty: ({ isFiltered, mayCreate }) =>
    isFiltered ? ["no_match"] : ["empty_title", mayCreate ? "empty_text" : "empty_viewer"],
});

function actions(t: Translate, link: PaymentLink): Html {
  return html`<span class="row-actions"
    >${openPage(t, link, "", "open")} ${copyButton(link.checkoutUrl, t("copy_link"))}</span
  >`;
}
