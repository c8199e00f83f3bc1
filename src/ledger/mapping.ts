import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  DeclineCode,
  PaymentIntentSchema,
  PaymentSchema,
  PaymentStatus as StatusEnum,
  type Payment,
  type PaymentIntent,
} from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { toModeEnum } from "../identity/mapping.ts";
import type { Mode } from "../platform/caller.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { toFeeHandlingEnum, toFx, toMethodEnum } from "../pricing/mapping.ts";
import type { PaymentIntentRow, PaymentRow, PaymentStatus } from "./entities.ts";
import type { PricedPayment } from "./repository.ts";

const statuses: Record<PaymentStatus, StatusEnum> = {
  pending: StatusEnum.PENDING,
  processing: StatusEnum.PROCESSING,
  succeeded: StatusEnum.SUCCEEDED,
  failed: StatusEnum.FAILED,
  expired: StatusEnum.EXPIRED,
};

const declineCodes: Readonly<Record<string, DeclineCode>> = {
  insufficient_funds: DeclineCode.INSUFFICIENT_FUNDS,
  card_declined: DeclineCode.CARD_DECLINED,
  expired_card: DeclineCode.EXPIRED_CARD,
  invalid_card: DeclineCode.INVALID_CARD,
  card_not_supported: DeclineCode.CARD_NOT_SUPPORTED,
  authentication_failed: DeclineCode.AUTHENTICATION_FAILED,
  pix_expired: DeclineCode.PIX_EXPIRED,
  pix_rejected: DeclineCode.PIX_REJECTED,
};

/** The one place where a Payment is made from its row and its price's: API, pages and webhooks all show this. */
export function toPayment(row: PricedPayment): Payment {
  const { fxLockedAt, fxValidUntil } = row;
  const fx = toFx({
    rateMicros: row.rateMicros,
    fxRateHistoryId: row.fxRateHistoryId,
    fxLockedAt: fxLockedAt === null ? null : new Date(fxLockedAt * 1e3),
    fxValidUntil: fxValidUntil === null ? null : new Date(fxValidUntil * 1e3),
  });
  const payment = create(PaymentSchema);
  payment.id = row.id;
  if (row.linkId !== null) payment.linkId = row.linkId;
  payment.status = statuses[row.status];
  if (row.reference !== null) payment.reference = row.reference;
  payment.createdAt = timestampFromSeconds(row.createdAt);
  if (row.updatedAt !== null) payment.updatedAt = timestampFromSeconds(row.updatedAt);
  payment.amount = payment.grossAmount = row.payerTotalMinor;
  payment.currency = payment.grossCurrency = row.payerCurrency;
  payment.feeAmount = row.totalFeeMinor;
  payment.feeCurrency = row.pricingCurrency;
  payment.netAmount = row.receiverNetMinor;
  payment.netCurrency = row.receiverCurrency;
  payment.feeHandling = toFeeHandlingEnum(row.feeHandling);
  if (fx) payment.fx = fx;
  payment.paymentMethod = toMethodEnum(row.method);
  if (row.method === "card") payment.installments = row.installments;
  if (row.failureCode !== null) {
    payment.failureCode = declineCodes[row.failureCode] ?? DeclineCode.PAYMENT_DECLINED;
  }
  payment.metadata = row.metadata;
  return payment;
}

/** A payment that is about to be written, as it will be read back. */
export function pricedPayment(payment: PaymentRow, price: PriceValues): PricedPayment {
  return {
    ...price,
    ...payment,
    linkId: payment.linkId ?? null,
    failureCode: payment.failureCode ?? null,
    reference: payment.reference ?? null,
    createdAt: payment.createdAt.getTime() / 1e3,
    updatedAt: payment.updatedAt ? payment.updatedAt.getTime() / 1e3 : null,
    rateMicros: price.rateMicros ?? null,
    fxRateHistoryId: price.fxRateHistoryId ?? null,
    fxLockedAt: price.fxLockedAt ? price.fxLockedAt.getTime() / 1e3 : null,
    fxValidUntil: price.fxValidUntil ? price.fxValidUntil.getTime() / 1e3 : null,
  };
}

export function toPaymentIntent(mode: Mode, row: PaymentIntentRow): PaymentIntent {
  return create(PaymentIntentSchema, {
    id: row.id,
    mode: toModeEnum(mode),
    status: "created",
    legalEntityId: row.legalEntityId,
    amount: row.amountMinor,
    currency: row.currency,
    ...(row.payerCountry ? { payerCountry: row.payerCountry } : {}),
    settlementTerm: row.settlementTerm,
    ...(row.feeStrategy ? { feeStrategy: row.feeStrategy } : {}),
    ...(row.fxRateHistoryId == null ? {} : { fxRateHistoryId: row.fxRateHistoryId }),
    ...(row.reference == null ? {} : { reference: row.reference }),
    metadata: row.metadata,
    createdAt: timestampFromDate(row.createdAt),
  });
}

function timestampFromSeconds(seconds: number) {
  return timestampFromDate(new Date(seconds * 1000));
}
