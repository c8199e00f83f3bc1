import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import {
  type LedgerEntryKind as KindEnum,
  type PaymentStatus as StatusEnum,
} from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { type WordOf } from "../../contract/enum-words.ts";
import type { Row } from "../platform/write/change.ts";
import type { Currency } from "../pricing/fee-rule.ts";
import type { Account } from "./postings.ts";

export type LedgerEntryKind = WordOf<typeof KindEnum>;
export type PaymentStatus = WordOf<typeof StatusEnum>;

/** A request for payment of an amount: the legacy object, also created when a quote is accepted. */
export const PaymentIntent = defineEntity({
  name: "PaymentIntent",
  tableName: "payment_intent",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    quoteId: p.string().columnType("text").nullable(),
    legalEntityId: p.string().columnType("text"),
    amountMinor: p.bigint(),
    currency: p.string().columnType("text").$type<Currency>(),
    payerCountry: p.string().columnType("text").nullable(),
    settlementTerm: p.string().columnType("text"),
    feeStrategy: p.json<JsonObject>().columnType("json").nullable(),
    fxRateHistoryId: p.bigint().nullable(),
    reference: p.string().columnType("text").nullable(),
    metadata: p.json<JsonObject>().columnType("json"),
    createdAt: p.datetime(),
  },
});

/** A payment. Holds no amounts: they are on its price row. */
export const Payment = defineEntity({
  name: "Payment",
  tableName: "payment",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    linkId: p.string().columnType("text").nullable(),
    priceId: p.string().columnType("text"),
    method: p.string().columnType("text").$type<"pix" | "card" | "ted">(),
    status: p.string().columnType("text").$type<PaymentStatus>(),
    failureCode: p.string().columnType("text").nullable(),
    isSingle: p.boolean(),
    reference: p.string().columnType("text").nullable(),
    metadata: p.json<JsonObject>().columnType("json"),
    createdAt: p.datetime(),
    updatedAt: p.datetime().nullable(),
    /** Centavos of BRL that have gone back to the payer. */
    refundedMinor: p.bigint(),
    /** Those and what may still go back: refunds that have not failed, and returns. Two at once cannot both add to it. */
    refundReservedMinor: p.bigint(),
    /** The PIX end-to-end id of the money that made it succeed; null: it has none, or it is not known. */
    endToEndId: p.string().columnType("text").nullable(),
  },
});

/** A double entry, immutable. A payment has at most one of each kind and source. */
export const LedgerEntry = defineEntity({
  name: "LedgerEntry",
  tableName: "ledger_entry",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    paymentId: p.string().columnType("text").primary(),
    kind: p.string().columnType("text").$type<LedgerEntryKind>().primary(),
    /** The refund or return, or which one of an installment's entries it is; empty of a payment and its settlement. */
    sourceId: p.string().columnType("text").primary(),
    bookedAt: p.datetime(),
  },
});

/** A line of an entry. */
export const LedgerLine = defineEntity({
  name: "LedgerLine",
  tableName: "ledger_line",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    paymentId: p.string().columnType("text").primary(),
    kind: p.string().columnType("text").$type<LedgerEntryKind>().primary(),
    sourceId: p.string().columnType("text").primary(),
    number: p.integer().primary(),
    account: p.string().columnType("text").$type<Account>(),
    currency: p.string().columnType("text").$type<Currency>(),
    debitMinor: p.bigint(),
    creditMinor: p.bigint(),
  },
});

/** The settlement of a succeeded payment: its net becomes available `termDays` business days after `succeededOn`. */
export const Settlement = defineEntity({
  name: "Settlement",
  tableName: "settlement",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    paymentId: p.string().columnType("text").primary(),
    succeededOn: p.date(),
    termDays: p.integer(),
    settledAt: p.datetime().nullable(),
  },
});

/** A day on which the banks differ from the national calendar. Append-only: the newest row of a day is in force. */
export const BusinessDayOverride = defineEntity({
  name: "BusinessDayOverride",
  tableName: "business_day_override",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    day: p.date(),
    isBusinessDay: p.boolean(),
    reason: p.string().columnType("text"),
    createdAt: p.datetime(),
  },
});

export type PaymentIntentRow = InferEntity<typeof PaymentIntent>;
export type PaymentRow = InferEntity<typeof Payment>;
/** A payment without its metadata, which may have 64 KB. */
export type PlainPayment = Omit<Row<PaymentRow>, "metadata">;

export const ledgerEntities = [
  PaymentIntent,
  Payment,
  LedgerEntry,
  LedgerLine,
  Settlement,
  BusinessDayOverride,
];
