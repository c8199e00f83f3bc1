import type { MessageInitShape } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  ListQuotesRequestSchema,
  QuoteOrder,
  type ListQuotesRequest,
  type ListQuotesResponseSchema,
  type SearchQuotesRequest,
  type SearchQuotesResponseSchema,
  type StoredQuoteSchema,
} from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { Caller } from "../platform/rpc/caller.ts";
import { searched } from "../platform/db/conditions.ts";
import type { Environment } from "../platform/db/database.ts";
import { noSuch, type PaylinkError } from "../platform/rpc/errors.ts";
import { openPeriodOf } from "../platform/time/period.ts";
import { isId } from "../../contract/ids.ts";
import { keysetPage } from "../platform/db/keyset-page.ts";
import { fromQuoteStatusEnum, toQuote, toQuoteDetails } from "./mapping.ts";
import { countQuotes, listQuotes, type QuoteFilter } from "./quote-list.ts";
import { quoteStatusAt } from "./quote-status.ts";
import { findPrices, findQuote, type PricedQuote } from "./repository.ts";

const LIMIT_DEFAULT = 20;
const orders = wordsOf(QuoteOrder);

/** Finds the links of quotes. The links room implements it. */
export interface LinksOfQuotes {
  /** Returns the links made by accepting these quotes. */
  ofQuotes(
    caller: Caller,
    quoteIds: readonly string[],
  ): Promise<readonly { readonly quoteId: string; readonly id: string; readonly reference: string | null }[]>;
  /** Returns the quotes of the link with this id, or of the newest links whose reference contains the text. */
  quotesOf(caller: Caller, text: string): Promise<readonly string[]>;
}

/** Returns the caller's quote with its price and its link. Error: quote_not_found. */
export async function storedQuote(
  id: string,
  caller: Caller,
  environment: Environment,
  links: LinksOfQuotes,
  now: Date,
): Promise<MessageInitShape<typeof StoredQuoteSchema>> {
  const found = isId("qt", id) ? await findQuote(environment, caller.tenantId, id) : undefined;
  if (!found) throw quoteNotFound();
  const [stored] = await toStored([found], caller, links, now);
  if (!stored) throw quoteNotFound();
  return stored;
}

/** Returns a page of the caller's quotes. Error: invalid_request on starting_after. */
export async function quotePage(
  request: ListQuotesRequest,
  caller: Caller,
  environment: Environment,
  links: LinksOfQuotes,
  now: Date,
): Promise<MessageInitShape<typeof ListQuotesResponseSchema>> {
  return await pageOf(request, await filterOf(request, caller, links, now), caller, environment, links);
}

/** As `quotePage`, in any order, with the number of quotes that match. Error: invalid_request on starting_after. */
export async function foundQuotes(
  { filter: asked, order }: SearchQuotesRequest,
  caller: Caller,
  environment: Environment,
  links: LinksOfQuotes,
  now: Date,
): Promise<MessageInitShape<typeof SearchQuotesResponseSchema>> {
  const request = asked ?? create(ListQuotesRequestSchema);
  const filter = await filterOf(request, caller, links, now);
  const [page, quoteCount] = await Promise.all([
    pageOf(request, filter, caller, environment, links, order),
    countQuotes(environment, caller.tenantId, filter),
  ]);
  return { page, quoteCount };
}

async function filterOf(
  { status, query, from, to }: ListQuotesRequest,
  caller: Caller,
  links: LinksOfQuotes,
  now: Date,
): Promise<QuoteFilter> {
  const text = searched(query);
  return {
    now,
    status: status === undefined ? undefined : fromQuoteStatusEnum(status),
    created: openPeriodOf(from, to),
    query: text ? { text, quoteIds: await links.quotesOf(caller, text) } : undefined,
  };
}

async function pageOf(
  { startingAfter, limit = LIMIT_DEFAULT }: ListQuotesRequest,
  filter: QuoteFilter,
  caller: Caller,
  environment: Environment,
  links: LinksOfQuotes,
  order?: QuoteOrder,
): Promise<MessageInitShape<typeof ListQuotesResponseSchema>> {
  const { tenantId } = caller;
  const word = orders.wordOf(order);
  const { rows, hasMore, nextCursor } = await keysetPage({
    limit,
    startingAfter,
    what: "the id of a quote",
    find: async (id) => (isId("qt", id) ? (await findQuote(environment, tenantId, id))?.quote : undefined),
    read: (after, rowCount) => listQuotes(environment, tenantId, filter, after, rowCount, word),
  });
  const prices = await findPrices(environment, tenantId, rows);
  const data = await toStored(prices, caller, links, filter.now);
  return { data, hasMore, nextCursor };
}

async function toStored(
  quotes: readonly PricedQuote[],
  caller: Caller,
  links: LinksOfQuotes,
  now: Date,
): Promise<MessageInitShape<typeof StoredQuoteSchema>[]> {
  const accepted = quotes.filter(({ quote }) => quote.consumedAt).map(({ quote }) => quote.id);
  const found = accepted.length === 0 ? [] : await links.ofQuotes(caller, accepted);
  const linkOf = new Map(found.map((link) => [link.quoteId, link]));
  return quotes.map(({ quote, price }) => ({
    quote: toQuote(caller.mode, quote, price),
    details: toQuoteDetails(quote, price, quoteStatusAt(quote, now), linkOf.get(quote.id)),
  }));
}

function quoteNotFound(): PaylinkError {
  return noSuch("quote_not_found", "quote");
}
