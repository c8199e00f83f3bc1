import {
  ListQuotesRequestSchema,
  QuoteOrder,
  QuoteStatusSchema,
} from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { wordsOf } from "../../../contract/enum-words.ts";
import { figuresOf } from "../parts/figures.ts";
import { html, type Html } from "../../pages/html.ts";
import { enumOptions, Filters } from "../list/filters.ts";
import { COUNTED_MAX, countOnPage, list } from "../list/list.ts";
import { copyButton, cut, notice, time } from "../parts/show.ts";
import { quoteBadge, quotedOption, statusText } from "./show.ts";
import { messagesIn, type Translate } from "./messages.ts";

const PAGE = 20;
const orders = wordsOf(QuoteOrder);

const filters = new Filters(ListQuotesRequestSchema, messagesIn, {
  query: { kind: "search", label: "search_label", placeholder: "search_help" },
  status: {
    kind: "choice",
    label: "status",
    options: (_, t) => enumOptions(QuoteStatusSchema, (status) => statusText(t, status)),
  },
});

/** The quotes, newest first. */
export const quotesList = list({
  path: "/quotes",
  permission: "links.read",
  messages: messagesIn,
  title: "title",
  caption: "caption",
  create: { path: "/quotes/new", permission: "links.write", label: "new" },
  above: ({ visit, t }) => made(t, figuresOf(visit, ["made"]).made),
  sorts: {
    created: ["created_desc", "created_asc"],
    asked: ["amount_desc", "amount_asc"],
  },
  filters,
  fetch: async (visit, { filter, cursor, order: word }) => {
    const order = orders.numberOf(word);
    const { page, quoteCount } = await visit.core.pricing.searchQuotes(
      { filter: { ...filter, ...cursor, limit: PAGE }, ...(order ? { order } : {}) },
      visit.as,
    );
    const { data = [], nextCursor } = page ?? {};
    const rows = data.flatMap(({ quote, details }) => (quote && details ? [{ quote, details }] : []));
    return { rows, next: nextCursor, quoteCount };
  },
  total: ({ quoteCount }) => BigInt(quoteCount),
  totalMax: COUNTED_MAX,
  count: ({ t, found }) => countOnPage(t, found),
  columns: ({ visit, t }) => ({
    quote: ({ quote }) =>
      html`<a href="${visit.path(`/quotes/${quote.id}`)}" title="${quote.id}"
          >${quotedOption(visit, quote)}</a
        >
        ${copyButton(quote.id, `${visit.t("copy")} ${quote.id}`)}`,
    status: ({ details }) => quoteBadge(t, details.status),
    asked: ({ details }) => visit.format.money(details.amount, details.currency),
    payer_pays: ({ quote }) => visit.format.money(quote.payerTotal, quote.payerCurrency),
    you_receive: ({ quote }) => visit.format.money(quote.receiverNet, quote.receiverCurrency),
    created: ({ quote }) => time(visit, quote.createdAt),
    valid_until: ({ quote }) => time(visit, quote.expiresAt),
    link: ({ details: { linkId, reference } }) =>
      linkId
        ? html`<a href="${visit.path(`/links/${linkId}`)}"
            >${cut(reference ?? t("open_link"), "reference")}</a
          >`
        : "—",
  }),
  isOfLines: true,
  pocket: ["status", "created"],
  numbers: ["asked", "payer_pays", "you_receive"],
  empty: ({ isFiltered, mayCreate }) =>
    isFiltered ? ["no_match"] : ["empty_title", mayCreate ? "empty_text" : "empty_viewer"],
});

/** Returns the notice of quotes that were made at once, by each payment option. */
function made(t: Translate, count: number | undefined): Html | "" {
  if (count === undefined) return "";
  return notice(count === 0 ? t("made_none") : t("made_many", { n: count }));
}
