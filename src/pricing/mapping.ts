import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { stampOf } from "../platform/time/timestamps.ts";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  FeeHandling as FeeHandlingEnum,
  FxSchema,
  PaymentMethod as MethodEnum,
  PriceRefusal,
  QuoteSchema,
  QuoteScenarioSchema,
  QuoteStatus as QuoteStatusEnum,
  type BreakdownSchema,
  type Fx,
  type PreviewedPriceSchema,
  type Quote,
  type QuoteDetailsSchema,
  type QuoteScenario,
} from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { toModeEnum } from "../identity/mapping.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import type { PriceValues, QuoteRow } from "./entities.ts";
import type { FeeHandling, PaymentMethod } from "./fee-rule.ts";
import type { QuoteStatus } from "./quote-status.ts";

const methods = wordsOf(MethodEnum);
const feeHandlings = wordsOf(FeeHandlingEnum);
const quoteStatuses = wordsOf(QuoteStatusEnum);

export const fromMethodEnum = methods.knownWordOf;
export const fromFeeHandlingEnum = feeHandlings.knownWordOf;
export const fromQuoteStatusEnum = quoteStatuses.knownWordOf;

export function toMethodEnum(method: PaymentMethod): MethodEnum {
  return methods.numbers[method];
}

export function toFeeHandlingEnum(feeHandling: FeeHandling): FeeHandlingEnum {
  return feeHandlings.numbers[feeHandling];
}

/** The columns of a price row that form the public `fx` object. */
export type FxColumns = Pick<PriceValues, "rateMicros" | "fxRateHistoryId" | "fxLockedAt" | "fxValidUntil">;

/** Returns the public rate of a price, or undefined if nothing was converted. */
export function toFx(price: FxColumns): Fx | undefined {
  const { rateMicros, fxRateHistoryId, fxLockedAt, fxValidUntil } = price;
  if (rateMicros == null || fxRateHistoryId == null || !fxLockedAt || !fxValidUntil) return undefined;
  return create(FxSchema, {
    rate: rateMicros,
    base: "USD",
    quote: "BRL",
    lockedAt: timestampFromDate(fxLockedAt),
    validUntil: timestampFromDate(fxValidUntil),
    rateHistoryId: fxRateHistoryId,
  });
}

export function toQuote(mode: Mode, quote: QuoteRow, price: PriceValues): Quote {
  const fx = toFx(price);
  return create(QuoteSchema, {
    id: quote.id,
    tenantId: quote.tenantId,
    mode: toModeEnum(mode),
    paymentIntentId: quote.paymentIntentId || undefined,
    paymentMethod: toMethodEnum(price.method),
    ...offered(quote, price),
    fx,
    fxRateHistoryId: fx?.rateHistoryId,
    breakdown: toBreakdown(price),
    ruleId: price.ruleId,
    createdAt: timestampFromDate(quote.createdAt),
  });
}

export function toScenario(quote: QuoteRow, price: PriceValues): QuoteScenario {
  const fx = toFx(price);
  return create(QuoteScenarioSchema, {
    quoteId: quote.id,
    method: toMethodEnum(price.method),
    ...offered(quote, price),
    fx,
  });
}

function offered(quote: QuoteRow, price: PriceValues) {
  return {
    installments: price.installments,
    payerTotal: price.payerTotalMinor,
    payerCurrency: price.payerCurrency,
    receiverNet: price.receiverNetMinor,
    receiverCurrency: price.receiverCurrency,
    expiresAt: timestampFromDate(quote.expiresAt),
    signature: quote.signature,
  };
}

/** The columns of a price that form its breakdown. */
type BreakdownColumns = Pick<
  PriceValues,
  | "feeHandling"
  | "pricingCurrency"
  | "totalFeeMinor"
  | "serviceFeeMinor"
  | "percentAmountMinor"
  | "fixedMinor"
  | "rawTotalMinor"
  | "minApplied"
  | "maxApplied"
  | "installmentSurchargeMinor"
  | "iofAmountMinor"
  | "iofApplicable"
  | "iofEnabled"
>;

function toBreakdown(price: BreakdownColumns): MessageInitShape<typeof BreakdownSchema> {
  const currency = price.pricingCurrency;
  return {
    feeHandling: toFeeHandlingEnum(price.feeHandling),
    totalFee: { amount: price.totalFeeMinor, currency },
    serviceFee: {
      finalCents: price.serviceFeeMinor,
      finalCurrency: currency,
      percentAmountCents: price.percentAmountMinor,
      fixedCents: price.fixedMinor,
      rawTotalCents: price.rawTotalMinor,
      minApplied: price.minApplied,
      maxApplied: price.maxApplied,
    },
    installmentSurcharge: { amount: price.installmentSurchargeMinor, currency },
    tax: {
      iofAmountCents: price.iofAmountMinor,
      iofApplicable: price.iofApplicable,
      iofEnabled: price.iofEnabled,
      iofCurrency: currency,
    },
  };
}

/** Returns a price that is shown and not stored. */
export function toPreviewedPrice(
  price: BreakdownColumns &
    Pick<
      PriceValues,
      | "payerTotalMinor"
      | "payerCurrency"
      | "firstInstallmentMinor"
      | "otherInstallmentMinor"
      | "receiverNetMinor"
      | "receiverCurrency"
    >,
): MessageInitShape<typeof PreviewedPriceSchema> {
  return {
    payerTotal: price.payerTotalMinor,
    payerCurrency: price.payerCurrency,
    firstInstallment: price.firstInstallmentMinor,
    otherInstallment: price.otherInstallmentMinor,
    receiverNet: price.receiverNetMinor,
    receiverCurrency: price.receiverCurrency,
    breakdown: toBreakdown(price),
  };
}

export const { numbers: refusals } = wordsOf(PriceRefusal);

/** Returns the details that a quote itself does not have: more columns of its price, its status and its link. */
export function toQuoteDetails(
  { consumedAt }: QuoteRow,
  price: PriceValues,
  status: QuoteStatus,
  link: { readonly id: string; readonly reference: string | null } | undefined,
): MessageInitShape<typeof QuoteDetailsSchema> {
  return {
    status: quoteStatuses.numbers[status],
    amount: price.amountMinor,
    currency: price.currency,
    productAmount: price.baseMinor,
    grossAmount: price.grossMinor,
    netAmount: price.netMinor,
    pricingCurrency: price.pricingCurrency,
    firstInstallment: price.firstInstallmentMinor,
    otherInstallment: price.otherInstallmentMinor,
    consumedAt: stampOf(consumedAt),
    linkId: link?.id,
    reference: link?.reference ?? undefined,
  };
}
