import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { HEADERS } from "../../contract/headers.ts";
import type { CreateQuoteRequest, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { TenantSettings } from "../identity/tenant-settings.ts";
import { requireLeastSettlementTerm } from "../identity/settlement-term.ts";
import { MODES, type Caller, type Mode } from "../platform/rpc/caller.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { invalidRequest, noSuch } from "../platform/rpc/errors.ts";
import type { BookOf, PricingDeps } from "./deps.ts";
import type { Wanted } from "./pricer.ts";
import { previewPrices } from "./preview.ts";
import { checkPriced, checkQuoteRequest } from "./quote-request.ts";
import { foundQuotes, quotePage, storedQuote } from "./quotes.ts";
import { decideQuote, quoteCountOf, type QuoteTerms } from "./quoting.ts";
import type { QuoteSigner } from "./signature.ts";

type Rpcs = Pick<
  ServiceImpl<typeof PricingService>,
  "createQuote" | "previewPrices" | "getQuote" | "listQuotes" | "searchQuotes" | "listSigningKeys"
>;

type RoomDeps = Pick<
  PricingDeps,
  "operations" | "clock" | "links" | "identity" | "pricedIntent" | "accountLimits"
>;

interface QuoteDeps extends RoomDeps {
  readonly bookOf: BookOf;
  readonly signers: Readonly<Record<Mode, QuoteSigner>>;
  readonly nextLockId: (mode: Mode) => Promise<bigint>;
}

/** The RPCs of quotes, of prices without a quote, and of the keys that sign quotes. */
export function quoteRpcs(deps: QuoteDeps): Rpcs {
  const { operations, clock, links, identity, pricedIntent, accountLimits, bookOf, signers, nextLockId } =
    deps;

  async function wantedOf(
    request: Pick<CreateQuoteRequest, "amount" | "currency" | "paymentIntentId">,
    caller: Caller,
    settings: TenantSettings,
  ): Promise<{ wanted: Wanted; terms: QuoteTerms }> {
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
    const intent = await pricedIntent(caller, paymentIntentId);
    if (!intent)
      throw invalidRequest("payment_intent_id", noSuch("payment_intent_not_found", "payment intent").message);
    const { amountMinor, currency, legalEntityId, settlementTerm, feeStrategy } = intent;
    requireLeastSettlementTerm(settings.tenant, settlementTerm, "payment_intent_id");
    const { payoutCurrency } = identity.payee(settings, legalEntityId, "payment_intent_id");
    return {
      wanted: { amountMinor, currency, payoutCurrency },
      terms: { paymentIntentId: intent.id, legalEntityId, settlementTerm, feeStrategy },
    };
  }

  return {
    createQuote: operations.write({
      check: checkQuoteRequest,
      decide: async (request, caller) => {
        const settings = await identity.settingsOf(caller.tenantId);
        const { mode } = caller;
        const decision = await decideQuote(request, {
          ...(await wantedOf(request, caller, settings)),
          caller,
          settings,
          now: wholeSecond(clock),
          book: await bookOf(mode, caller.tenantId),
          limits: await accountLimits(caller),
          signer: signers[mode],
          nextLockId: () => nextLockId(mode),
        });
        const count = quoteCountOf(decision.response);
        if (count > 1) caller.context.responseHeader.set(HEADERS.requestCount, String(count));
        return decision;
      },
    }),
    previewPrices: operations.run(async (request, caller) => {
      checkPriced(request);
      const settings = await identity.settingsOf(caller.tenantId);
      const { wanted } = await wantedOf(request, caller, settings);
      const book = await bookOf(caller.mode, caller.tenantId);
      const offering = { settings, book, wanted, limits: await accountLimits(caller) };
      return previewPrices(request, offering, wholeSecond(clock));
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
    searchQuotes: operations.run(
      async (request, caller) =>
        await foundQuotes(request, caller, caller.environment, links, wholeSecond(clock)),
    ),
    listSigningKeys: async () => {
      const keys = await Promise.all(MODES.map((mode) => signers[mode].publicKeys()));
      return { keys: keys.flat() };
    },
  };
}
