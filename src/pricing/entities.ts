import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import type { Currency, FeeHandling, PaymentMethod } from "./fee-rule.ts";

/** A version of a pricing rule. Append-only: the newest of its tenant, method and currency is in force. */
export const PricingRule = defineEntity({
  name: "PricingRule",
  tableName: "pricing_rule",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    method: p.string().columnType("text").$type<PaymentMethod>(),
    currency: p.string().columnType("text").$type<Currency>(),
    percentPpm: p.bigint(),
    fixedMinor: p.bigint(),
    minMinor: p.bigint(),
    maxMinor: p.bigint().nullable(),
    surchargePpm: p.array(Number).columnType("int4[]"),
    defaultFeeHandling: p.string().columnType("text").$type<FeeHandling>(),
    createdAt: p.datetime(),
  },
});

/** A version of the margin and the tax on conversions. Append-only: the newest that is valid is in force. */
export const FxPolicy = defineEntity({
  name: "FxPolicy",
  tableName: "fx_policy",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    coveragePpm: p.bigint(),
    iofPpm: p.bigint(),
    iofEnabled: p.boolean(),
    iofNature: p.string().columnType("text"),
    iofLegalBasis: p.string().columnType("text"),
    validFrom: p.datetime(),
    createdAt: p.datetime(),
  },
});

/**
 * A spot rate, BRL per USD. Append-only: the newest is in force until it is too old. One that the service fetched has its
 * bulletin, as the source writes it, and the time at which it was read; it was published at the bulletin's own time.
 */
export const FxSpot = defineEntity({
  name: "FxSpot",
  tableName: "fx_spot",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    spotMicros: p.bigint(),
    source: p.string().columnType("text"),
    maxAgeSeconds: p.bigint(),
    publishedAt: p.datetime(),
    bulletin: p.string().columnType("text").nullable(),
    fetchedAt: p.datetime().nullable(),
  },
});

/**
 * A fetched rate that jumped from the last one. Append-only: its release is a spot rate with the same id. A newer rate of
 * its source supersedes it.
 */
export const FxHeldRate = defineEntity({
  name: "FxHeldRate",
  tableName: "fx_held_rate",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    spotMicros: p.bigint(),
    source: p.string().columnType("text"),
    bulletin: p.string().columnType("text"),
    maxAgeSeconds: p.bigint(),
    publishedAt: p.datetime(),
    fetchedAt: p.datetime(),
    lastSpotId: p.string().columnType("text"),
    lastMicros: p.bigint(),
  },
});

/** One locked rate, with its inputs. */
export const FxRateHistory = defineEntity({
  name: "FxRateHistory",
  tableName: "fx_rate_history",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.bigint().primary(),
    spotId: p.string().columnType("text"),
    spotMicros: p.bigint(),
    coveragePpm: p.bigint(),
    rateMicros: p.bigint(),
    lockedAt: p.datetime(),
    validUntil: p.datetime(),
  },
});

/** The only persisted source of every amount shown, charged or notified: all inputs and results of a price. */
export const PriceRow = defineEntity({
  name: "PriceRow",
  tableName: "price",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    amountMinor: p.bigint(),
    currency: p.string().columnType("text").$type<Currency>(),
    method: p.string().columnType("text").$type<PaymentMethod>(),
    installments: p.integer(),
    feeHandling: p.string().columnType("text").$type<FeeHandling>(),
    ruleId: p.string().columnType("text"),
    percentPpm: p.bigint(),
    minMinor: p.bigint(),
    maxMinor: p.bigint().nullable(),
    surchargePpm: p.bigint(),
    iofPpm: p.bigint(),
    fxRateHistoryId: p.bigint().nullable(),
    rateMicros: p.bigint().nullable(),
    fxLockedAt: p.datetime().nullable(),
    fxValidUntil: p.datetime().nullable(),
    pricingCurrency: p.string().columnType("text").$type<Currency>(),
    baseMinor: p.bigint(),
    grossMinor: p.bigint(),
    netMinor: p.bigint(),
    percentAmountMinor: p.bigint(),
    fixedMinor: p.bigint(),
    rawTotalMinor: p.bigint(),
    serviceFeeMinor: p.bigint(),
    minApplied: p.boolean(),
    maxApplied: p.boolean(),
    installmentSurchargeMinor: p.bigint(),
    iofAmountMinor: p.bigint(),
    iofApplicable: p.boolean(),
    iofEnabled: p.boolean(),
    totalFeeMinor: p.bigint(),
    payerTotalMinor: p.bigint(),
    payerCurrency: p.string().columnType("text").$type<Currency>(),
    receiverNetMinor: p.bigint(),
    receiverCurrency: p.string().columnType("text").$type<Currency>(),
    firstInstallmentMinor: p.bigint(),
    otherInstallmentMinor: p.bigint(),
    createdAt: p.datetime(),
  },
});

/** A price offered until a deadline. Holds no amounts: they are on its price row. */
export const Quote = defineEntity({
  name: "Quote",
  tableName: "quote",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    priceId: p.string().columnType("text"),
    paymentIntentId: p.string().columnType("text").nullable(),
    legalEntityId: p.string().columnType("text"),
    settlementTerm: p.string().columnType("text"),
    feeStrategy: p.json<Record<string, unknown>>().columnType("json").nullable(),
    signature: p.string().columnType("text"),
    expiresAt: p.datetime(),
    consumedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
});

/** An Ed25519 key that signs quotes. */
export const SigningKey = defineEntity({
  name: "SigningKey",
  tableName: "signing_key",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    privateJwk: p.json<Record<string, string>>().columnType("json"),
    createdAt: p.datetime(),
  },
});

export type PricingRuleRow = InferEntity<typeof PricingRule>;
export type FxPolicyRow = InferEntity<typeof FxPolicy>;
export type FxSpotRow = InferEntity<typeof FxSpot>;
export type FxHeldRateRow = InferEntity<typeof FxHeldRate>;
export type FxRateHistoryRow = InferEntity<typeof FxRateHistory>;
export type PriceValues = InferEntity<typeof PriceRow>;
export type QuoteRow = InferEntity<typeof Quote>;

export const pricingEntities = [
  PricingRule,
  FxPolicy,
  FxSpot,
  FxHeldRate,
  FxRateHistory,
  PriceRow,
  Quote,
  SigningKey,
];
