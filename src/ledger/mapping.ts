import { create } from "@bufbuild/protobuf";
import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  AccountBalanceSchema,
  DeclineCode,
  LedgerEntryKind as KindEnum,
  LedgerEntrySchema,
  PaymentIntentSchema,
  PaymentState as StateEnum,
  PaymentStatus as StatusEnum,
  type AccountBalance,
  type LedgerEntry,
  type Payment,
  type PaymentIntent,
} from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { toModeEnum } from "../identity/mapping.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { toFeeHandlingEnum, toFx, toMethodEnum, type FxColumns } from "../pricing/mapping.ts";
import type { EventContent } from "../webhooks/event.ts";
import type { Entry } from "./books.ts";
import type { PaymentIntentRow, PaymentRow, PaymentStatus } from "./entities.ts";
import type { PaymentState } from "./payment-state.ts";
import type { PricedPayment } from "./priced-payment.ts";
import type { Balance } from "./trial-balance.ts";

const statuses = wordsOf(StatusEnum);
const states = wordsOf(StateEnum);
const declineCodes = wordsOf(DeclineCode);
const entryKinds = wordsOf(KindEnum);

export const fromStatusEnum = statuses.knownWordOf;
export const fromStateEnum = states.knownWordOf;

/**
 * Returns the Payment of a payment row and its price. This is the only place that makes one: API, pages and webhooks
 * all show it. It is a literal because `create` walks the descriptor, which is slow for a page of 100 payments.
 */
export function toPayment(row: PricedPayment): Payment {
  return {
    $typeName: "paylink.ledger.v1.Payment",
    id: row.id,
    linkId: row.linkId ?? undefined,
    status: statuses.numbers[row.status],
    reference: row.reference ?? undefined,
    createdAt: timestamp(row.createdAt),
    updatedAt: row.updatedAt === null ? undefined : timestamp(row.updatedAt),
    amount: row.payerTotalMinor,
    currency: row.payerCurrency,
    grossAmount: row.payerTotalMinor,
    grossCurrency: row.payerCurrency,
    feeAmount: row.totalFeeMinor,
    feeCurrency: row.pricingCurrency,
    netAmount: row.receiverNetMinor,
    netCurrency: row.receiverCurrency,
    feeHandling: toFeeHandlingEnum(row.feeHandling),
    fx: row.rateMicros === null ? undefined : toFx(fxOf(row)),
    paymentMethod: toMethodEnum(row.method),
    installments: row.method === "card" ? row.installments : undefined,
    failureCode: row.failureCode === null ? undefined : toDeclineCode(row.failureCode),
    refundedAmount: row.refundedMinor === 0n ? undefined : row.refundedMinor,
    endToEndId: row.endToEndId ?? undefined,
    metadata: row.metadata,
  };
}

export function toStatusEnum(status: PaymentStatus): StatusEnum {
  return statuses.numbers[status];
}

export function toStateEnum(state: PaymentState): StateEnum {
  return states.numbers[state];
}

/** Returns the payment's current state, without its price. */
export function toPaymentState({
  status,
  failureCode,
}: Pick<PaymentRow, "status" | "failureCode">): Pick<Payment, "status" | "failureCode"> {
  return {
    status: statuses.numbers[status],
    failureCode: failureCode == null ? undefined : toDeclineCode(failureCode),
  };
}

function toDeclineCode(word: string): DeclineCode {
  return declineCodes.numberOf(word) ?? DeclineCode.PAYMENT_DECLINED;
}

function fxOf({ rateMicros, fxRateHistoryId, fxLockedAt, fxValidUntil }: PricedPayment): FxColumns {
  return {
    rateMicros,
    fxRateHistoryId,
    fxLockedAt: fxLockedAt === null ? null : new Date(fxLockedAt * 1000),
    fxValidUntil: fxValidUntil === null ? null : new Date(fxValidUntil * 1000),
  };
}

/** Returns the Payment of a row that is about to be written or was read as an entity, with its price row. */
export function paymentMessage(payment: PaymentRow, price: PriceValues): Payment {
  return toPayment(pricedPayment(payment, price));
}

/** Returns a payment that is about to be written in the form in which it is read back. */
function pricedPayment(payment: PaymentRow, price: PriceValues): PricedPayment {
  return {
    ...price,
    ...payment,
    linkId: payment.linkId ?? null,
    failureCode: payment.failureCode ?? null,
    reference: payment.reference ?? null,
    endToEndId: payment.endToEndId ?? null,
    createdAt: payment.createdAt.getTime() / 1e3,
    updatedAt: payment.updatedAt ? payment.updatedAt.getTime() / 1e3 : null,
    rateMicros: price.rateMicros ?? null,
    fxRateHistoryId: price.fxRateHistoryId ?? null,
    fxLockedAt: price.fxLockedAt ? price.fxLockedAt.getTime() / 1e3 : null,
    fxValidUntil: price.fxValidUntil ? price.fxValidUntil.getTime() / 1e3 : null,
  };
}

/** Returns the event of a payment's new status; none of `processing`. */
export function paymentEvents(payment: Payment): EventContent[] {
  const { id: objectId, reference, status } = payment;
  const about = { objectId, reference };
  if (status === StatusEnum.PENDING) return [{ type: "payment.pending", ...about, data: { payment } }];
  if (status === StatusEnum.SUCCEEDED) return [{ type: "payment.succeeded", ...about, data: { payment } }];
  if (status !== StatusEnum.FAILED && status !== StatusEnum.EXPIRED) return [];
  const declineCode = payment.failureCode ?? expiredCode(payment.paymentMethod);
  return [{ type: "payment.failed", ...about, data: { payment, declineCode } }];
}

function expiredCode(method: PaymentMethod): DeclineCode {
  return method === PaymentMethod.PIX ? DeclineCode.PIX_EXPIRED : DeclineCode.PAYMENT_DECLINED;
}

export function toAccountBalance({ account, currency, debitMinor, creditMinor }: Balance): AccountBalance {
  return create(AccountBalanceSchema, { account, currency, debit: debitMinor, credit: creditMinor });
}

export function toLedgerEntry(paymentId: string, { kind, sourceId, bookedAt, lines }: Entry): LedgerEntry {
  return create(LedgerEntrySchema, {
    paymentId,
    kind: entryKinds.numbers[kind],
    sourceId: sourceId || undefined,
    bookedAt: timestampFromDate(bookedAt),
    lines: lines.map(({ account, currency, debitMinor, creditMinor }) => ({
      account,
      currency,
      debit: debitMinor,
      credit: creditMinor,
    })),
  });
}

export function toPaymentIntent(mode: Mode, row: PaymentIntentRow): PaymentIntent {
  return create(PaymentIntentSchema, {
    id: row.id,
    mode: toModeEnum(mode),
    status: "created",
    legalEntityId: row.legalEntityId,
    amount: row.amountMinor,
    currency: row.currency,
    payerCountry: row.payerCountry || undefined,
    settlementTerm: row.settlementTerm,
    feeStrategy: row.feeStrategy || undefined,
    fxRateHistoryId: row.fxRateHistoryId ?? undefined,
    reference: row.reference ?? undefined,
    metadata: row.metadata,
    createdAt: timestampFromDate(row.createdAt),
  });
}

function timestamp(seconds: number): Timestamp {
  return { $typeName: "google.protobuf.Timestamp", seconds: BigInt(seconds), nanos: 0 };
}
