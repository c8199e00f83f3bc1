import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import {
  type CollectField,
  type PaymentLinkStatus as StatusEnum,
} from "../../gen/paylink/links/v1/links_pb.ts";
import { type WordOf } from "../../contract/enum-words.ts";
import type { PayerRules } from "../identity/payer-fields.ts";
import type { Currency, FeeHandling, PaymentMethod } from "../pricing/fee-rule.ts";

export type PaymentLinkStatus = WordOf<typeof StatusEnum>;
export type CollectWord = WordOf<typeof CollectField>;

/**
 * A payment link. `priceId` is set on a single link made from a quote. It is then the price that the payer pays.
 * `canceledAt` is null on links canceled by release 0.1.0: `updatedAt` is their cancellation.
 */
export const PaymentLink = defineEntity({
  name: "PaymentLink",
  tableName: "payment_link",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    status: p.string().columnType("text").$type<PaymentLinkStatus>(),
    isCampaign: p.boolean(),
    amountMinor: p.bigint(),
    currency: p.string().columnType("text").$type<Currency>(),
    payoutCurrency: p.string().columnType("text").$type<Currency>(),
    legalEntityId: p.string().columnType("text"),
    reference: p.string().columnType("text").nullable(),
    paymentMethods: p.array().columnType("text[]").$type<PaymentMethod[]>(),
    maxInstallments: p.integer(),
    feeHandling: p.string().columnType("text").$type<FeeHandling>(),
    description: p.string().columnType("text").nullable(),
    productRef: p.string().columnType("text").nullable(),
    details: p.string().columnType("text").nullable(),
    productImages: p.array().columnType("text[]"),
    collectFields: p.array().columnType("text[]").$type<CollectWord[]>(),
    successUrl: p.string().columnType("text").nullable(),
    successMessage: p.string().columnType("text").nullable(),
    payerFields: p.json<PayerRules>().columnType("jsonb"),
    metadata: p.json<JsonObject>().columnType("json"),
    quoteId: p.string().columnType("text").nullable(),
    priceId: p.string().columnType("text").nullable(),
    paymentIntentId: p.string().columnType("text").nullable(),
    expiresAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime().nullable(),
    canceledAt: p.datetime().nullable(),
  },
});

export type PaymentLinkRow = InferEntity<typeof PaymentLink>;

export const linksEntities = [PaymentLink];
