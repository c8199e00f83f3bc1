import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import type { Currency } from "../pricing/fee-rule.ts";

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

export type PaymentIntentRow = InferEntity<typeof PaymentIntent>;
export type PaymentRow = InferEntity<typeof Payment>;

export const ledgerEntities = [PaymentIntent, Payment];
