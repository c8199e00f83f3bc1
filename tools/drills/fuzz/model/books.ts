import { createClient, type Transport } from "@connectrpc/connect";
import { LedgerService } from "../../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { LinksService, type ListedPaymentLink } from "../../../../gen/paylink/links/v1/links_pb.ts";
import {
  PricingService,
  QuoteStatus,
  type StoredQuote,
} from "../../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { statusWord, wordOf } from "./clients.ts";
import { paymentsOf } from "./decide-read.ts";
import { Exactly, expectBody, type Expected } from "./matching.ts";
import type { Price } from "./price.ts";
import { totalFee } from "./payment-options.ts";
import { statusOf, type CallerName, type Link, type Quote, type World } from "./world.ts";

interface Headers {
  readonly headers: Record<string, string>;
}
const PAGE = 7;

/** Compares all links, quotes and balances of a caller with the model. Throws Mismatch. */
export async function compareBooks(
  world: World,
  caller: CallerName,
  transport: Transport,
  as: Headers,
): Promise<void> {
  const links = createClient(LinksService, transport);
  const quotes = createClient(PricingService, transport);
  const own = <T extends { readonly caller: CallerName }>(map: ReadonlyMap<string, T>): T[] =>
    [...map.values()].filter((object) => object.caller === caller);
  const listedLinks = await pages(async (page) => await links.listPaymentLinks(page, as));
  const expectedLinks = own(world.links).toSorted(byId);
  expectBody(
    listedLinks.map((listed) => linkBody(listed)).toSorted(byId),
    expectedLinks.map((link) => expectedLink(world, link)),
    `links of ${caller}`,
  );
  const listedQuotes = await pages(async (page) => await quotes.listQuotes(page, as));
  const expectedQuotes = own(world.quotes).toSorted(byId);
  expectBody(
    listedQuotes.map((stored) => quoteBody(stored)).toSorted(byId),
    expectedQuotes.map((quote) => expectedQuote(world, quote)),
    `quotes of ${caller}`,
  );
  const { balances } = await createClient(LedgerService, transport).getTrialBalance({}, as);
  const shown = balances.filter(({ debit, credit }) => debit !== 0n || credit !== 0n);
  expectBody(
    Object.fromEntries(
      shown.map(({ account, currency, debit, credit }) => [`${account}:${currency}`, `${debit} ${credit}`]),
    ),
    expectedBalances(world, caller),
    `balances of ${caller}`,
  );
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}

async function pages<Item>(
  read: (page: { limit: number; startingAfter?: string }) => Promise<{
    data: Item[];
    nextCursor?: string | undefined;
  }>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let startingAfter: string | undefined; ;) {
    const { data, nextCursor } = await read({
      limit: PAGE,
      ...(startingAfter === undefined ? {} : { startingAfter }),
    });
    items.push(...data);
    if (nextCursor === undefined) return items;
    startingAfter = nextCursor;
  }
}

function linkBody({ paymentLink: link, details }: ListedPaymentLink) {
  return {
    id: link?.id ?? "",
    status: statusWord(link?.status),
    amount: Number(link?.amount),
    currency: link?.currency,
    expiresAt: Number(link?.expiresAt?.seconds ?? 0n),
    reference: link?.reference ?? null,
    metadata: link?.metadata,
    isCampaign: details?.isCampaign,
    quoteId: details?.quoteId ?? null,
  };
}

function expectedLink(world: World, link: Link): Expected {
  const { id, amount, currency, expiresAt, reference, metadata, isCampaign } = link;
  const quote = [...world.quotes.values()].find(({ linkId }) => linkId === id);
  return {
    id,
    status: statusOf(link, world.now),
    amount: Number(amount),
    currency,
    expiresAt,
    reference,
    metadata: new Exactly(metadata),
    isCampaign,
    quoteId: quote?.id ?? null,
  };
}

function quoteBody({ quote, details }: StoredQuote) {
  const { breakdown } = quote ?? {};
  return {
    id: quote?.id ?? "",
    status: wordOf(QuoteStatus, details?.status),
    amount: Number(details?.amount),
    gross: Number(details?.grossAmount),
    net: Number(details?.netAmount),
    payerTotal: Number(quote?.payerTotal),
    receiverNet: Number(quote?.receiverNet),
    totalFee: Number(breakdown?.totalFee?.amount),
    serviceFee: Number(breakdown?.serviceFee?.finalCents),
    iof: Number(breakdown?.tax?.iofAmountCents),
    lock: quote?.fx ? Number(quote.fx.rateHistoryId) : null,
    linkId: details?.linkId ?? null,
  };
}

function expectedQuote(world: World, { id, price, fx, linkId, expiresAt }: Quote): Expected {
  const open = expiresAt < world.now ? "expired" : "open";
  return {
    id,
    status: linkId === undefined ? open : "consumed",
    amount: Number(price.amount),
    gross: Number(price.gross),
    net: Number(price.net),
    payerTotal: Number(price.payerTotal),
    receiverNet: Number(price.receiverNet),
    totalFee: Number(totalFee(price)),
    serviceFee: Number(price.fee),
    iof: Number(price.iofAmount),
    lock: fx?.id ?? null,
    linkId: linkId ?? null,
  };
}

/** Debit and credit of every account that the succeeded payments move. */
function expectedBalances(world: World, caller: CallerName): Expected {
  const sums = new Map<string, [bigint, bigint]>();
  const book = (account: string, currency: string, debit: bigint, credit: bigint): void => {
    const [debits, credits] = sums.get(`${account}:${currency}`) ?? [0n, 0n];
    sums.set(`${account}:${currency}`, [debits + debit, credits + credit]);
  };
  for (const { price, status } of paymentsOf(world, caller))
    if (status === "succeeded") bookPayment(book, price);
  const moved = [...sums].filter(([, [debit, credit]]) => debit !== 0n || credit !== 0n);
  return Object.fromEntries(moved.map(([account, [debit, credit]]) => [account, `${debit} ${credit}`]));
}

function bookPayment(
  book: (account: string, currency: string, debit: bigint, credit: bigint) => void,
  price: Price,
): void {
  const { feeCurrency, payout, payerTotal, receiverNet, gross, net, fee, surcharge, iofAmount } = price;
  book("provider_clearing", "BRL", payerTotal, 0n);
  book("revenue.service", feeCurrency, 0n, fee);
  book("revenue.installment", feeCurrency, 0n, surcharge);
  book("tax_payable.iof", feeCurrency, 0n, iofAmount);
  book("merchant_payable", payout, 0n, receiverNet);
  if (feeCurrency === "USD") {
    book("fx_position", "BRL", 0n, payerTotal);
    book("fx_position", "USD", gross, 0n);
  } else if (payout === "USD") {
    book("fx_position", "BRL", 0n, net);
    book("fx_position", "USD", receiverNet, 0n);
  }
}
