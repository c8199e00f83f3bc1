import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Mode as ModeEnum } from "../../gen/paylink/identity/v1/identity_pb.ts";
import type { CreateQuoteRequest, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { fromModeEnum } from "../identity/mapping.ts";
import type { TenantSettings } from "../identity/repository.ts";
import type { Identity } from "../identity/service.ts";
import type { CallAudit } from "../platform/audit-entry.ts";
import { auditOf } from "../platform/audit-trail.ts";
import type { AnnouncedCache } from "../platform/cache.ts";
import { MODES, type Caller, type Mode } from "../platform/caller.ts";
import { notify, update, type Change } from "../platform/change.ts";
import { wholeSecond, type Clock } from "../platform/clock.ts";
import type { Overrides } from "../platform/business-days.ts";
import type { Environment } from "../platform/database.ts";
import { invalidRequest, PaylinkError } from "../platform/errors.ts";
import { isId } from "../../contract/ids.ts";
import type { Operations } from "../platform/operation.ts";
import { newFxPolicy, newFxSpot, newPricingRule, type NewVersion } from "./administration.ts";
import { Quote, type PriceValues, type QuoteRow } from "./entities.ts";
import type { Currency } from "./fee-rule.ts";
import { PriceBook } from "./price-book.ts";
import type { Wanted } from "./pricer.ts";
import { previewPrices } from "./preview.ts";
import { toFxRate, toPricingRule } from "./price-book-mapping.ts";
import { rateRpcs } from "./rate-rpcs.ts";
import { rateStandings, type RateStanding } from "./rate-standing.ts";
import { countHeldRates, findFeedState } from "./rate-records.ts";
import { checkPriced, checkQuoteRequest } from "./quote-request.ts";
import { quoteStatusAt } from "./quote-status.ts";
import { quotePage, storedQuote, type LinksOfQuotes } from "./quotes.ts";
import { decideQuote, type QuoteTerms } from "./quoting.ts";
import { DEFAULT_TENANT, findPricingRecords, findQuote, RateHistoryIds } from "./repository.ts";
import { QuoteSigner } from "./signature.ts";

/** The part of a payment intent that a quote prices. */
export interface PricedIntent {
  readonly id: string;
  readonly legalEntityId: string;
  readonly amountMinor: bigint;
  readonly currency: Currency;
  readonly settlementTerm: string;
  readonly feeStrategy: Record<string, unknown> | null;
}

export interface PricingDeps {
  readonly clock: Clock;
  readonly cache: AnnouncedCache;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly identity: Identity;
  readonly operations: Operations;
  /** Reads an intent of the caller's tenant and mode. The ledger room provides it. */
  readonly findIntent: (caller: Caller, id: string) => Promise<PricedIntent | undefined>;
  /** Finds the links of quotes. The links room provides it. */
  readonly links: LinksOfQuotes;
  /** Reads the days on which banks differ from the national calendar. The ledger room provides it. */
  readonly findOverrides: (mode: Mode) => Promise<Overrides>;
}

/** The pricing room: its RPCs, and its functions for other rooms. */
export class Pricing {
  readonly #deps: PricingDeps;
  readonly #signers: Record<Mode, QuoteSigner>;
  readonly #lockIds: Record<Mode, RateHistoryIds>;
  readonly rpcs: ServiceImpl<typeof PricingService>;

  constructor(deps: PricingDeps) {
    this.#deps = deps;
    const { live, test } = deps.environments;
    this.#signers = { live: new QuoteSigner(live, deps.clock), test: new QuoteSigner(test, deps.clock) };
    this.#lockIds = { live: new RateHistoryIds(live), test: new RateHistoryIds(test) };
    this.rpcs = this.#rpcs();
  }

  /** Returns the price book of a tenant. */
  async bookOf(mode: Mode, tenantId: string): Promise<PriceBook> {
    const { cache, environments, findOverrides } = this.#deps;
    const book = await cache.get(
      `pricing:${mode}:${tenantId}`,
      async () =>
        new PriceBook(await findPricingRecords(environments[mode], tenantId), await findOverrides(mode)),
    );
    return book as PriceBook;
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
   * Returns a quote that can be accepted now, with its price. Throws Error if its signature does not fit. Errors:
   * quote_not_found, quote_consumed, quote_expired, in this order.
   */
  async acceptable(caller: Caller, id: string, now: Date): Promise<{ quote: QuoteRow; price: PriceValues }> {
    const { mode, tenantId } = caller;
    const found = isId("qt", id) ? await findQuote(this.#deps.environments[mode], tenantId, id) : undefined;
    if (!found) throw new PaylinkError("quote_not_found", "There is no such quote.");
    const { quote, price } = found;
    const status = quoteStatusAt(quote, now);
    if (status === "consumed") throw new PaylinkError("quote_consumed", "The quote was accepted already.");
    if (status === "expired") throw new PaylinkError("quote_expired", "The quote is past its validity.");
    if (!(await this.#signers[mode].isGood(quote.signature, { ...quote, mode }, price))) {
      throw new Error(`quote ${id}: the signature does not fit the stored terms`);
    }
    return found;
  }

  /** Marks a quote as accepted. The commit fails if another acceptance was first. */
  consume({ tenantId, id }: QuoteRow, now: Date): Change {
    return update(Quote, { tenantId, id, consumedAt: null }, { consumedAt: now });
  }

  #rpcs(): ServiceImpl<typeof PricingService> {
    const { operations, clock, links } = this.#deps;
    return {
      createQuote: operations.write({
        check: checkQuoteRequest,
        decide: async (request, caller) => {
          const settings = await this.#deps.identity.settingsOf(caller.tenantId);
          const { mode } = caller;
          return await decideQuote(request, {
            ...(await this.#wanted(request, caller, settings)),
            caller,
            settings,
            now: wholeSecond(clock),
            book: await this.bookOf(mode, caller.tenantId),
            signer: this.#signers[mode],
            nextLockId: () => this.nextLockId(mode),
          });
        },
      }),
      previewPrices: operations.run(async (request, caller) => {
        checkPriced(request);
        const settings = await this.#deps.identity.settingsOf(caller.tenantId);
        const { wanted } = await this.#wanted(request, caller, settings);
        const book = await this.bookOf(caller.mode, caller.tenantId);
        return previewPrices(request, { settings, book, wanted }, wholeSecond(clock));
      }),
      getQuote: operations.run(async ({ id }, caller) => {
        const now = wholeSecond(clock);
        const quote = await storedQuote(id, caller, caller.environment, links, now);
        return { quote, now: timestampFromDate(now) };
      }),
      listQuotes: operations.run(
        async (request, caller) =>
          await quotePage(request, caller, caller.environment, links, wholeSecond(clock)),
      ),
      listSigningKeys: async () => {
        const keys = await Promise.all(MODES.map((mode) => this.#signers[mode].publicKeys()));
        return { keys: keys.flat() };
      },
      putPricingRule: async (request, context) => {
        await this.#requireTenant(request.tenantId);
        const rule = newPricingRule(request, wholeSecond(clock));
        return { ruleId: await this.#append(request.mode, rule, auditOf(context)) };
      },
      publishFxRate: async (request, context) => {
        const spot = newFxSpot(request, wholeSecond(clock));
        return { id: await this.#append(request.mode, spot, auditOf(context)) };
      },
      listPricingRules: async ({ tenantId, mode }) => {
        await this.#requireTenant(tenantId);
        const book = await this.bookOf(fromModeEnum(mode), tenantId);
        return { rules: book.rules().map(toPricingRule) };
      },
      getFxRate: async ({ mode: modeEnum, tenantId }) => {
        await this.#requireTenant(tenantId);
        const mode = fromModeEnum(modeEnum);
        const { pool } = this.#deps.environments[mode];
        const fetched = { heldCount: await countHeldRates(pool), feed: await findFeedState(pool) };
        return toFxRate(await this.bookOf(mode, tenantId), fetched, wholeSecond(clock));
      },
      ...rateRpcs(this.#deps),
      putFxPolicy: async (request, context) => {
        await this.#requireTenant(request.tenantId);
        const policy = newFxPolicy(request, wholeSecond(clock));
        return { id: await this.#append(request.mode, policy, auditOf(context)) };
      },
    };
  }

  async #wanted(
    request: Pick<CreateQuoteRequest, "amount" | "currency" | "paymentIntentId">,
    caller: Caller,
    settings: TenantSettings,
  ): Promise<{ wanted: Wanted; terms: QuoteTerms }> {
    const { identity, findIntent } = this.#deps;
    const { paymentIntentId } = request;
    if (paymentIntentId === undefined) {
      const payee = identity.payee(settings);
      const currency = request.currency === "USD" ? "USD" : "BRL";
      return {
        wanted: { amountMinor: request.amount ?? 0n, currency, payoutCurrency: payee.payoutCurrency },
        terms: {
          paymentIntentId: null,
          legalEntityId: payee.id,
          settlementTerm: `D+${settings.tenant.settlementDays}`,
          feeStrategy: null,
        },
      };
    }
    const intent = await findIntent(caller, paymentIntentId);
    if (!intent) throw invalidRequest("payment_intent_id", "There is no such payment intent.");
    const { amountMinor, currency, legalEntityId, settlementTerm, feeStrategy } = intent;
    const { payoutCurrency } = identity.payee(settings, legalEntityId);
    return {
      wanted: { amountMinor, currency, payoutCurrency },
      terms: { paymentIntentId: intent.id, legalEntityId, settlementTerm, feeStrategy },
    };
  }

  async #requireTenant(tenantId: string): Promise<void> {
    if (tenantId !== DEFAULT_TENANT) await this.#deps.identity.settingsOf(tenantId);
  }

  async #append(
    modeEnum: ModeEnum,
    { id, change }: NewVersion,
    audit: CallAudit | undefined,
  ): Promise<string> {
    const mode = fromModeEnum(modeEnum);
    const changes = [change, notify(`pricing:${mode}`)];
    await this.#deps.environments[mode].committer.commit(changes, audit?.entry({ objectId: id }));
    this.#deps.cache.drop(`pricing:${mode}`);
    return id;
  }
}
