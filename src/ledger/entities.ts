import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import type { Currency, PaymentMethod } from "../pricing/fee-rule.ts";
import type { Account } from "./postings.ts";

export type LedgerEntryKind = "payment" | "settlement";
export type PaymentStatus = "pending" | "processing" | "succeeded" | "failed" | "expired";

/** A wish to be paid an amount: the legacy object, also made when a quote is accepted. */
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

/** A charge. Holds no amount: they are on its price row. */
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
  },
});

/** A double entry, immutable: at most one of each kind for a payment. */
export const LedgerEntry = defineEntity({
  name: "LedgerEntry",
  tableName: "ledger_entry",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    paymentId: p.string().columnType("text").primary(),
    kind: p.string().columnType("text").$type<LedgerEntryKind>().primary(),
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
    number: p.integer().primary(),
    account: p.string().columnType("text").$type<Account>(),
    currency: p.string().columnType("text").$type<Currency>(),
    debitMinor: p.bigint(),
    creditMinor: p.bigint(),
  },
});

/** When a succeeded payment's net becomes available: so many business days after the day of its success. */
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

/** One day on which the banks do otherwise than the national calendar says. Append-only: the newest is in force. */
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

/** A sum as it is kept with a seal: amounts as decimal texts, which JSON holds exactly. */
export interface KeptSum {
  readonly grossCurrency: Currency;
  readonly netCurrency: Currency;
  readonly feeCurrency: Currency;
  readonly method: PaymentMethod | null;
  readonly status: PaymentStatus;
  readonly paymentCount: string;
  readonly grossMinor: string;
  readonly feeMinor: string;
  readonly netMinor: string;
}

/** A day as it was closed. Append-only. */
export const DaySeal = defineEntity({
  name: "DaySeal",
  tableName: "day_seal",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    day: p.date().primary(),
    formatVersion: p.integer(),
    paymentCount: p.bigint(),
    byteCount: p.bigint(),
    rowsSha256: p.string().columnType("text"),
    sums: p.json<KeptSum[]>().columnType("json"),
    sealedBy: p.string().columnType("text").nullable(),
    sealedAt: p.datetime(),
    /** Over all of this, and the mode. */
    headSha256: p.string().columnType("text"),
  },
});

/** Some of a sealed day's rows, in their order. Append-only. */
export const SealedRows = defineEntity({
  name: "SealedRows",
  tableName: "sealed_rows",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    day: p.date().primary(),
    /** Rows before these. */
    position: p.bigint().primary(),
    rowCount: p.integer(),
    bytes: p.blob().columnType("bytea"),
    /** Where each of their payments stood. */
    states: p.array().columnType("text[]"),
  },
});

export type DaySealRow = InferEntity<typeof DaySeal>;
export type PaymentIntentRow = InferEntity<typeof PaymentIntent>;
export type PaymentRow = InferEntity<typeof Payment>;

export const ledgerEntities = [
  PaymentIntent,
  Payment,
  LedgerEntry,
  LedgerLine,
  Settlement,
  BusinessDayOverride,
  DaySeal,
  SealedRows,
];
