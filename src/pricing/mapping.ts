import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  FeeHandling as FeeHandlingEnum,
  FxSchema,
  PaymentMethod as MethodEnum,
  QuoteSchema,
  QuoteScenarioSchema,
  type BreakdownSchema,
  type Fx,
  type Quote,
  type QuoteScenario,
} from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { toModeEnum } from "../identity/mapping.ts";
import type { Mode } from "../platform/caller.ts";
import type { PriceValues, QuoteRow } from "./entities.ts";
import type { FeeHandling, PaymentMethod } from "./fee-rule.ts";

const methods: Record<PaymentMethod, MethodEnum> = {
  pix: MethodEnum.PIX,
  card: MethodEnum.CARD,
  ted: MethodEnum.TED,
};

export function toMethodEnum(method: PaymentMethod): MethodEnum {
  return methods[method];
}

/** The method's word. Throws Error on a value that validation should have refused. */
export function fromMethodEnum(method: MethodEnum): PaymentMethod {
  for (const word of ["pix", "card", "ted"] as const) {
    if (methods[word] === method) return word;
  }
  throw new Error(`no payment method ${method}`);
}

export function toFeeHandlingEnum(feeHandling: FeeHandling): FeeHandlingEnum {
  return feeHandling === "absorb" ? FeeHandlingEnum.ABSORB : FeeHandlingEnum.PASS_THROUGH;
}

export function fromFeeHandlingEnum(feeHandling: FeeHandlingEnum): FeeHandling {
  return feeHandling === FeeHandlingEnum.PASS_THROUGH ? "pass_through" : "absorb";
}

/** The columns of a price row that make the public `fx` object. */
export type FxColumns = Pick<PriceValues, "rateMicros" | "fxRateHistoryId" | "fxLockedAt" | "fxValidUntil">;

/** The public rate of a price, or undefined when nothing was converted. */
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
    ...(quote.paymentIntentId ? { paymentIntentId: quote.paymentIntentId } : {}),
    paymentMethod: toMethodEnum(price.method),
    ...offered(quote, price),
    ...(fx ? { fx, fxRateHistoryId: fx.rateHistoryId } : {}),
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
    ...(fx ? { fx } : {}),
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

function toBreakdown(price: PriceValues): MessageInitShape<typeof BreakdownSchema> {
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
