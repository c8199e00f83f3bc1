import type { MessageInitShape } from "@bufbuild/protobuf";
import { defaultNumber } from "../../contract/field-default.ts";
import {
  CreateQuoteRequestSchema,
  type CreateQuoteRequest,
  type CreateQuoteResponseSchema,
} from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { Caller } from "../platform/rpc/caller.ts";
import { insert, insertAll, type Change } from "../platform/write/change.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import { invalidRequest } from "../platform/rpc/errors.ts";
import { newId } from "../../contract/ids.ts";
import type { Decision } from "../platform/write/decision.ts";
import { Quote, type PriceValues, type QuoteRow } from "./entities.ts";
import { METHODS, needsConversion, type PaymentMethod } from "./fee-rule.ts";
import { fromFeeHandlingEnum, fromMethodEnum, toQuote, toScenario } from "./mapping.ts";
import {
  insertPrice,
  insertPrices,
  lockRate,
  methodUnsupported,
  mostText,
  priceRow,
  ruleMissing,
  type FxLock,
  type PaymentOption,
  isTotalRefused,
} from "./pricer.ts";
import type { QuoteSigner } from "./signature.ts";
import {
  amountTooSmall,
  installmentCounts,
  installmentLimit,
  isBelowLeast,
  isNetRefused,
  methodRefusal,
  type Offering,
} from "./payment-options.ts";

const QUOTE_SECONDS = 1800;
const QUOTE_LOCK_SECONDS = 3600;
const DEFAULT_INSTALLMENTS = defaultNumber(CreateQuoteRequestSchema.field.installments);

/** The terms that a quote passes on to the intent made at its acceptance. */
export interface QuoteTerms {
  readonly paymentIntentId: string | null;
  readonly legalEntityId: string;
  readonly settlementTerm: string;
  readonly feeStrategy: Record<string, unknown> | null;
}

/** The inputs of a quote's decision, read before it. */
export interface QuotingInput extends Offering {
  readonly caller: Caller;
  readonly terms: QuoteTerms;
  readonly signer: QuoteSigner;
  readonly nextLockId: () => Promise<bigint>;
  readonly now: Date;
}

interface Offer {
  readonly quote: QuoteRow;
  readonly price: PriceValues;
}

type Answer = Decision<MessageInitShape<typeof CreateQuoteResponseSchema>>;

/**
 * Decides a quote for one method, or one quote for each payment option. Errors: payment_method_unsupported,
 * quote_fx_required, merchant_net_not_positive, invalid_request.
 */
export async function decideQuote(request: CreateQuoteRequest, input: QuotingInput): Promise<Answer> {
  const { currency, payoutCurrency } = input.wanted;
  const method = request.paymentMethod === undefined ? undefined : fromMethodEnum(request.paymentMethod);
  if (method !== undefined) requireOffered(input, method);
  const locked = needsConversion(currency, payoutCurrency) ? await lockFor(input) : undefined;
  const lock = locked?.lock ?? null;
  const lockChanges = locked ? [locked.change] : [];
  const feeHandling =
    request.feeHandling === undefined ? undefined : fromFeeHandlingEnum(request.feeHandling);
  if (method !== undefined) {
    const price = chargeablePrice(input, { method, feeHandling }, request.installments, lock);
    const made = await makeOffer(input, price);
    const result = { case: "quote" as const, value: toQuote(input.caller.mode, made.quote, made.price) };
    const audit = { objectId: made.quote.id };
    return {
      response: { result },
      changes: [...lockChanges, insertPrice(price), insert(Quote, made.quote)],
      audit,
    };
  }
  const offers = await everyOffer(input, request.installments, feeHandling, lock);
  const of = (wantedMethod: PaymentMethod) =>
    offers
      .filter(({ price }) => price.method === wantedMethod)
      .map(({ quote, price }) => toScenario(quote, price));
  const [pix] = of("pix");
  const [ted] = of("ted");
  const value = { pix, ted, card: of("card") };
  const response = { result: { case: "scenarios" as const, value } };
  const [first] = offers;
  if (!first) return { response, changes: [] };
  // If there is a quote for each payment option, the audit entry names the first one.
  const audit = { objectId: first.quote.id };
  const changes = [
    ...lockChanges,
    insertPrices(offers.map(({ price }) => price)),
    insertAll(
      Quote,
      offers.map(({ quote }) => quote),
    ),
  ];
  return { response, changes, audit };
}

/** Returns the number of quotes of an answer. Each costs as much as a quote of its own. */
export function quoteCountOf({ result }: Answer["response"]): number {
  if (result?.case !== "scenarios") return 1;
  const { pix, ted, card = [] } = result.value;
  return [pix, ted].filter((one) => one !== undefined).length + card.length;
}

async function lockFor(input: QuotingInput): Promise<{ lock: FxLock; change: Change }> {
  const rate = input.book.requireRateAt(input.now);
  return lockRate(input.caller.tenantId, await input.nextLockId(), rate, input.now, QUOTE_LOCK_SECONDS);
}

function requireOffered(input: QuotingInput, method: PaymentMethod): void {
  const refusal = methodRefusal(input, method);
  if (refusal === "no_rule") throw ruleMissing(method, input.wanted);
  if (refusal) throw methodUnsupported(method, input.settings.tenant.paymentMethods);
}

function installmentsFor(input: QuotingInput, method: PaymentMethod, requested: number | undefined): number {
  const limit = installmentLimit(input, method);
  if (requested !== undefined && requested > limit) {
    throw invalidRequest("installments", mostText("installments", limit));
  }
  return requested ?? Math.min(limit, DEFAULT_INSTALLMENTS);
}

/**
 * Returns the price in the requested number of installments, or in the default one or the next smaller one that the
 * account can charge. Errors: invalid_request, those of the price.
 */
function chargeablePrice(
  input: QuotingInput,
  option: Omit<PaymentOption, "installments">,
  requested: number | undefined,
  lock: FxLock | null,
): PriceValues {
  let installments = installmentsFor(input, option.method, requested);
  for (;;) {
    const price = priceFor(input, { ...option, installments }, lock);
    if (!isBelowLeast(price, input.limits)) return price;
    if (installments === 1) throw amountTooSmall(option.method, input.limits);
    if (requested !== undefined) {
      const message =
        "The card account takes no installments of so small an amount: ask for fewer installments.";
      throw invalidRequest("installments", message);
    }
    installments--;
  }
}

async function everyOffer(
  input: QuotingInput,
  cap: number | undefined,
  feeHandling: PaymentOption["feeHandling"],
  lock: FxLock | null,
): Promise<Offer[]> {
  const prices: PriceValues[] = [];
  let refused: unknown;
  for (const method of METHODS) {
    // The tenant has not contracted it, or it has no rule.
    if (methodRefusal(input, method)) continue;
    for (const installments of installmentCounts(input, method, cap)) {
      try {
        const price = priceFor(input, { method, installments, feeHandling }, lock);
        if (isBelowLeast(price, input.limits)) refused ??= amountTooSmall(method, input.limits);
        else prices.push(price);
      } catch (error) {
        // An option is left out if it leaves the merchant nothing, or its total is not one that can be charged.
        if (isTotalRefused(error)) refused ??= error;
        else if (!isNetRefused(error)) throw error;
      }
    }
  }
  if (prices.length === 0 && refused !== undefined) throw refused;
  // One after the other: signatures of many requests wait in one line, and all of these would be before another tenant's.
  const offers: Offer[] = [];
  for (const price of prices) offers.push(await makeOffer(input, price));
  return offers;
}

function priceFor(
  { caller, book, wanted, now }: QuotingInput,
  option: PaymentOption,
  lock: FxLock | null,
): PriceValues {
  return priceRow(caller.tenantId, book, wanted, option, lock, now);
}

async function makeOffer({ caller, terms, now, signer }: QuotingInput, price: PriceValues): Promise<Offer> {
  const quote = {
    ...terms,
    tenantId: caller.tenantId,
    id: newId("qt"),
    priceId: price.id,
    feeStrategy: terms.feeStrategy ?? { fee_handling: price.feeHandling },
    expiresAt: secondsAfter(now, QUOTE_SECONDS),
    consumedAt: null,
    createdAt: now,
  };
  const signature = await signer.sign({ ...quote, mode: caller.mode }, price);
  return { quote: { ...quote, signature }, price };
}
