import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type {
  PreviewPricesRequest,
  PreviewPricesResponseSchema,
  PreviewedWaySchema,
} from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { METHODS, needsConversion, type PaymentMethod } from "./fee-rule.ts";
import { fromFeeHandlingEnum, fromMethodEnum, refusals, toMethodEnum, toPreviewedPrice } from "./mapping.ts";
import { priceOf, type PaymentOption, isTotalRefused } from "./pricer.ts";
import {
  installmentCounts,
  installmentLimit,
  isBelowLeast,
  isNetRefused,
  methodRefusal,
  type Offering,
} from "./payment-options.ts";

/** A payment option with its price or refusal. */
type PreviewedOption = MessageInitShape<typeof PreviewedWaySchema>;

/**
 * Prices every payment option at `now` with the pricer that quotes use. Stores nothing, so the prices are not binding.
 * Error: quote_fx_required.
 */
export function previewPrices(
  request: PreviewPricesRequest,
  offering: Offering,
  now: Date,
): MessageInitShape<typeof PreviewPricesResponseSchema> {
  const { amountMinor, currency, payoutCurrency } = offering.wanted;
  const rate = needsConversion(currency, payoutCurrency) ? offering.book.requireRateAt(now) : undefined;
  const rateMicros = rate?.rateMicros ?? null;
  const wanted = request.paymentMethods.map(fromMethodEnum);
  const feeHandling =
    request.feeHandling === undefined ? undefined : fromFeeHandlingEnum(request.feeHandling);
  const options = METHODS.filter((method) => wanted.length === 0 || wanted.includes(method)).flatMap(
    (method) => optionsOf(offering, method, request.maxInstallments, feeHandling, rateMicros, now),
  );
  return {
    ways: options,
    installmentsLimit: methodRefusal(offering, "card") ? 0 : installmentLimit(offering, "card"),
    rateMicros: rate?.rateMicros,
    rateSource: rate?.spot.source,
    ratePublishedAt: rate && timestampFromDate(rate.spot.publishedAt),
    pricedAt: timestampFromDate(now),
    amount: amountMinor,
    currency,
  };
}

function optionsOf(
  offering: Offering,
  method: PaymentMethod,
  cap: number | undefined,
  feeHandling: PaymentOption["feeHandling"],
  rateMicros: bigint | null,
  now: Date,
): PreviewedOption[] {
  const refusal = methodRefusal(offering, method);
  if (refusal) return [refused(method, 1, refusal)];
  return installmentCounts(offering, method, cap).map((installments) => {
    const option = { method, installments, feeHandling };
    try {
      const { input, price } = priceOf(offering.book, offering.wanted, option, rateMicros, now);
      if (isBelowLeast({ method, ...price }, offering.limits)) {
        return refused(method, installments, "amount_too_small");
      }
      const value = toPreviewedPrice({ ...price, feeHandling: input.feeHandling });
      return { paymentMethod: toMethodEnum(method), installments, result: { case: "price", value } };
    } catch (error) {
      if (isTotalRefused(error)) return refused(method, installments, "total_too_large");
      if (!isNetRefused(error)) throw error;
      return refused(method, installments, "merchant_net_not_positive");
    }
  });
}

function refused(
  method: PaymentMethod,
  installments: number,
  reason: keyof typeof refusals,
): PreviewedOption {
  const result = { case: "refusal", value: refusals[reason] } as const;
  return { paymentMethod: toMethodEnum(method), installments, result };
}
