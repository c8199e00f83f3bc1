import type { ServiceImpl } from "@connectrpc/connect";
import type {
  AcceptQuoteRequest,
  LinksService,
  ListPaymentLinksRequest,
} from "../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod as MethodEnum } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { ownerOf } from "../identity/id-owner.ts";
import type { Identity } from "../identity/service.ts";
import type { Ledger } from "../ledger/service.ts";
import type { MediaRoom } from "../media/service.ts";
import type { Caller, Mode } from "../platform/caller.ts";
import { insert, update, type Change } from "../platform/change.ts";
import { wholeSecond, type Clock } from "../platform/clock.ts";
import { checkPayerCountry } from "../platform/country.ts";
import type { Environment } from "../platform/database.ts";
import { invalidRequest, PaylinkError } from "../platform/errors.ts";
import { isId, newId } from "../../contract/ids.ts";
import { checkOwnWords } from "../platform/metadata.ts";
import type { Decision } from "../platform/decision.ts";
import type { Operation } from "../platform/call.ts";
import type { Operations } from "../platform/operation.ts";
import { keysetPage, type KeysetPage } from "../platform/keyset-page.ts";
import type { PriceValues, QuoteRow } from "../pricing/entities.ts";
import type { Pricing } from "../pricing/service.ts";
import type { RecordEvent } from "../webhooks/event.ts";
import { PaymentLink, type PaymentLinkRow } from "./entities.ts";
import { expireDue } from "./expiry.ts";
import { requireOpen, statusAt } from "./link-status.ts";
import { filterOf } from "./link-filter.ts";
import { toAcceptedLink, toLinkDetails, toPaymentLink } from "./mapping.ts";
import { checkMediaUrls, unknownPicture } from "./media-url.ts";
import { newAcceptedLink, newDirectLink } from "./new-link.ts";
import { listLinks } from "./repository.ts";
import { decideSimulation } from "./simulation.ts";

const LIMIT_DEFAULT = 20;

export interface LinksDeps {
  readonly clock: Clock;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly operations: Operations;
  readonly identity: Identity;
  readonly pricing: Pricing;
  readonly ledger: Ledger;
  readonly media: Pick<MediaRoom, "holdsAll">;
  /** Host of the payer's pages, without a trailing slash. */
  readonly checkoutBase: string;
  /** The base of all media_urls, without a trailing slash. */
  readonly mediaBase: string;
  readonly recordEvent: RecordEvent;
}

/** The links room: its RPCs, and its functions for other rooms. */
export class Links {
  readonly #deps: LinksDeps;
  readonly rpcs: ServiceImpl<typeof LinksService>;

  constructor(deps: LinksDeps) {
    this.#deps = deps;
    this.rpcs = this.#rpcs();
  }

  /** Expires the links of one mode that are past their time. Returns their number. */
  async expireDue(mode: Mode): Promise<number> {
    const { environments, clock, checkoutBase, recordEvent } = this.#deps;
    return await expireDue({ environment: environments[mode], mode, clock, checkoutBase, recordEvent });
  }

  #rpcs(): ServiceImpl<typeof LinksService> {
    const { operations, identity, pricing, ledger, media, clock, checkoutBase, mediaBase } = this.#deps;
    return {
      createPaymentLink: operations.write({
        check: ({ reference, metadata, maxInstallments, paymentMethods }) => {
          checkOwnWords({ reference, metadata });
          if (maxInstallments !== undefined && !paymentMethods?.values.includes(MethodEnum.CARD)) {
            throw invalidRequest("max_installments", "max_installments needs card among payment_methods.");
          }
        },
        decide: async (request, { tenantId, mode }) => {
          const settings = await identity.settingsOf(tenantId);
          const book = await pricing.bookOf(mode, tenantId);
          const link = newDirectLink(request, settings, identity.payee(settings), book, wholeSecond(clock));
          const paymentLink = toPaymentLink(mode, link, link.status, checkoutBase);
          const audit = { objectId: link.id };
          return { response: { paymentLink }, changes: insertLink(mode, link), audit };
        },
      }),
      acceptQuote: operations.write({
        check: async ({ reference, metadata, payerCountry, mediaUrls }, caller) => {
          checkOwnWords({ reference, metadata });
          checkPayerCountry(payerCountry);
          const pictures = mediaUrls?.values ?? [];
          checkMediaUrls(pictures, mediaBase);
          if (pictures.length > 0 && !(await media.holdsAll(caller, pictures))) throw unknownPicture();
        },
        decide: async (request, caller) => {
          const now = wholeSecond(clock);
          const { quote, price } = await pricing.acceptable(caller, request.id, now);
          return await this.#accept(request, caller, quote, price, now);
        },
      }),
      simulatePayment: operations.write({
        check: (_request, { mode }) => {
          if (mode === "live")
            throw new PaylinkError("not_available_in_live", "Only a test key may simulate.");
        },
        decide: async (request, caller) => {
          const { environment } = caller;
          const now = wholeSecond(clock);
          const link = await this.find(caller, request.id);
          return await decideSimulation(request, link, { pricing, ledger, environment, caller, now });
        },
      }),
      getPaymentLink: operations.run(async ({ id }, caller) => {
        const link = await this.find(caller, id);
        const status = statusAt(link, wholeSecond(clock));
        const paymentLink = toPaymentLink(caller.mode, link, status, checkoutBase);
        return { paymentLink, details: toLinkDetails(link) };
      }),
      listPaymentLinks: operations.run(async (request, caller) => {
        const now = wholeSecond(clock);
        const { rows, hasMore, nextCursor } = await this.#page(request, caller, now);
        const data = rows.map((link) => ({
          paymentLink: toPaymentLink(caller.mode, link, statusAt(link, now), checkoutBase),
          details: toLinkDetails(link),
        }));
        return { data, hasMore, nextCursor };
      }),
      cancelPaymentLink: operations.write({
        decide: async ({ id }, caller) => {
          const now = wholeSecond(clock);
          const link = await this.find(caller, id);
          const paymentLink = toPaymentLink(caller.mode, link, "canceled", checkoutBase);
          if (link.status === "canceled") return { response: { paymentLink }, changes: [] };
          requireOpen(link, now);
          const where = { tenantId: link.tenantId, id: link.id, status: "active" } as const;
          const change = update(PaymentLink, where, { status: "canceled", updatedAt: now });
          return { response: { paymentLink }, changes: [change], audit: { objectId: id } };
        },
      }),
    };
  }

  /** Returns the caller's link. Error: payment_link_not_found. */
  async find(caller: Caller, id: string): Promise<PaymentLinkRow> {
    const link = await this.#found(caller, id);
    if (!link) throw new PaylinkError("payment_link_not_found", "There is no such payment link.");
    return link;
  }

  async #found({ mode, tenantId }: Caller, id: string): Promise<PaymentLinkRow | null> {
    const em = this.#deps.environments[mode].orm.em.fork();
    return isId("pl", id) ? await em.findOne(PaymentLink, { tenantId, id }) : null;
  }

  async #page(
    request: ListPaymentLinksRequest,
    { environment, ...caller }: Operation,
    now: Date,
  ): Promise<KeysetPage<PaymentLinkRow>> {
    const { limit = LIMIT_DEFAULT, startingAfter } = request;
    return await keysetPage({
      limit,
      startingAfter,
      what: "the id of a payment link",
      find: (id) => this.#found(caller, id),
      read: (after, rowCount) =>
        listLinks(environment, caller.tenantId, filterOf(request, now), after, rowCount),
    });
  }

  async #accept(
    request: AcceptQuoteRequest,
    caller: Caller,
    quote: QuoteRow,
    price: PriceValues,
    now: Date,
  ): Promise<Decision<{ acceptedLink: ReturnType<typeof toAcceptedLink> }>> {
    const { identity, ledger, pricing, checkoutBase } = this.#deps;
    const { tenantId, mode } = caller;
    const settings = await identity.settingsOf(tenantId);
    const priced =
      quote.paymentIntentId == null ? undefined : await ledger.intent(caller, quote.paymentIntentId);
    const intentId = newId("pi");
    const link = newAcceptedLink(request, priced, settings, quote, price, intentId, now);
    const intent = ledger.insertIntent({
      tenantId,
      id: intentId,
      quoteId: quote.id,
      createdAt: now,
      legalEntityId: quote.legalEntityId,
      amountMinor: price.amountMinor,
      currency: price.currency,
      payerCountry: request.payerCountry ?? null,
      settlementTerm: quote.settlementTerm,
      feeStrategy: (quote.feeStrategy ?? null) as PaymentLinkRow["metadata"] | null,
      fxRateHistoryId: price.fxRateHistoryId ?? null,
      reference: link.reference ?? null,
      metadata: link.metadata,
    });
    return {
      response: { acceptedLink: toAcceptedLink(link, price, intentId, checkoutBase) },
      changes: [pricing.consume(quote, now), intent, ...insertLink(mode, link)],
      // The request's id is the quote's, which the entry has in its details.
      audit: { objectId: link.id },
    };
  }
}

/** Returns the changes that insert a link and the owner of its id. Its page is found by that owner. */
function insertLink(mode: Mode, link: PaymentLinkRow): Change[] {
  return [insert(PaymentLink, link), ownerOf(link.id, link.tenantId, mode)];
}
