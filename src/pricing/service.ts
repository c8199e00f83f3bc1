import type { ServiceImpl } from "@connectrpc/connect";
import type { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { MODES, type Caller, type Mode } from "../platform/rpc/caller.ts";
import { update, type Change } from "../platform/write/change.ts";
import { noSuch, PaylinkError } from "../platform/rpc/errors.ts";
import { utcText } from "../platform/time/timestamps.ts";
import { isId } from "../../contract/ids.ts";
import type { PricingDeps } from "./deps.ts";
import { Quote, type PriceValues, type QuoteRow } from "./entities.ts";
import { removePastQuotes, wasRemoved } from "./past-quotes.ts";
import type { PriceBook } from "./price-book.ts";
import { PriceBooks } from "./price-books.ts";
import { priceBookRpcs } from "./price-book-rpcs.ts";
import { quoteRpcs } from "./quote-rpcs.ts";
import { quoteStatusAt } from "./quote-status.ts";
import { rateRpcs } from "./rate-rpcs.ts";
import { rateStandings, type RateStanding } from "./rate-standing.ts";
import { findQuote, RateHistoryIds } from "./repository.ts";
import { QuoteSigner } from "./signature.ts";

/** The pricing room: its RPCs, and its functions for other rooms. */
export class Pricing {
  readonly #deps: PricingDeps;
  readonly #signers: Record<Mode, QuoteSigner>;
  readonly #lockIds: Record<Mode, RateHistoryIds>;
  readonly #books: PriceBooks;
  readonly rpcs: ServiceImpl<typeof PricingService>;

  constructor(deps: PricingDeps) {
    this.#deps = deps;
    const { live, test } = deps.environments;
    this.#signers = { live: new QuoteSigner(live, deps.clock), test: new QuoteSigner(test, deps.clock) };
    this.#lockIds = { live: new RateHistoryIds(live), test: new RateHistoryIds(test) };
    this.#books = new PriceBooks(deps);
    const bookOf = this.bookOf.bind(this);
    const nextLockId = this.nextLockId.bind(this);
    this.rpcs = {
      ...quoteRpcs({ ...deps, bookOf, nextLockId, signers: this.#signers }),
      ...priceBookRpcs({ ...deps, bookOf }),
      ...rateRpcs({ ...deps, bookOf }),
    };
  }

  /** Returns the price book of a tenant. */
  async bookOf(mode: Mode, tenantId: string): Promise<PriceBook> {
    return await this.#books.of(mode, tenantId);
  }

  /** Returns each mode's newest rate and the state of its source. */
  async rateStandings(): Promise<RateStanding[]> {
    return await rateStandings(this.#deps.environments, this.bookOf.bind(this), MODES, this.#deps.clock);
  }

  /** Returns the number of the next FX lock. */
  async nextLockId(mode: Mode): Promise<bigint> {
    return await this.#lockIds[mode].next();
  }

  /**
   * Returns a quote that can be accepted now, with its price. Its signature is for others: triggers keep the rows as they were
   * signed. Errors: quote_not_found, quote_consumed, quote_expired, in this order.
   */
  async acceptable(caller: Caller, id: string, now: Date): Promise<{ quote: QuoteRow; price: PriceValues }> {
    const { mode, tenantId } = caller;
    const environment = this.#deps.environments[mode];
    const found = isId("qt", id) ? await findQuote(environment, tenantId, id) : undefined;
    if (!found && isId("qt", id) && (await wasRemoved(environment, tenantId, id))) throw quoteExpired();
    if (!found) throw noSuch("quote_not_found", "quote");
    const status = quoteStatusAt(found.quote, now);
    if (status === "consumed") throw quoteConsumed(found.quote);
    if (status === "expired") throw quoteExpired(found.quote);
    return found;
  }

  /** Removes past quotes that were not accepted, a week after their end. Returns the number of removed quotes. */
  async removePast(mode: Mode): Promise<number> {
    return await removePastQuotes(this.#deps.environments[mode], this.#deps.clock);
  }

  /** Marks a quote as accepted. The commit fails if another acceptance was first. */
  consume({ tenantId, id }: QuoteRow, now: Date): Change {
    return update(Quote, { tenantId, id, consumedAt: null }, { consumedAt: now });
  }
}

/** Returns the error of a quote past its end, which is unknown once the quote was removed. */
function quoteExpired(quote?: QuoteRow): PaylinkError {
  const end = quote ? ` ended at ${utcText(quote.expiresAt)}` : " ended more than a week ago";
  return new PaylinkError("quote_expired", `The quote's validity${end}: make a new quote.`);
}

function quoteConsumed({ id, consumedAt }: QuoteRow): PaylinkError {
  const time = consumedAt ? ` at ${utcText(consumedAt)}` : "";
  const message = `The quote was accepted${time}: use its link, which GET /v1/quotes/${id} names, or make a new quote.`;
  return new PaylinkError("quote_consumed", message);
}
