import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import type { CardStyle } from "../providers/card-port.ts";
import type { CardBrand } from "../providers/card-brand.ts";

/** The prices of a link's payment options. All sessions share it while their prices would be the same. */
export const PriceList = defineEntity({
  name: "PriceList",
  tableName: "price_list",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    linkId: p.string().columnType("text"),
    /** Covers the inputs and results of all its prices. Null: of one session only, from before lists were shared. */
    fingerprint: p.string().columnType("text").nullable(),
    createdAt: p.datetime(),
  },
});

/** The time in which the prices shown to a payer are valid. */
export const CheckoutSession = defineEntity({
  name: "CheckoutSession",
  tableName: "checkout_session",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    linkId: p.string().columnType("text"),
    priceListId: p.string().columnType("text"),
    /** Number of payments started in the session. Each start increments it, so that two at once cannot both succeed. */
    paymentCount: p.integer(),
    /** The payment that succeeded by a receipt: two at once cannot both. Null also where simulate_payment made it succeed. */
    paidPaymentId: p.string().columnType("text").nullable(),
    expiresAt: p.datetime(),
    createdAt: p.datetime(),
  },
});

/** A payment option of a price list. Holds no amounts: they are on its price row. */
export const ListedOption = defineEntity({
  name: "ListedOption",
  tableName: "checkout_option",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    priceListId: p.string().columnType("text").primary(),
    number: p.integer().primary(),
    priceId: p.string().columnType("text"),
  },
});

/** A request to a provider for a payment. */
export const Charge = defineEntity({
  name: "Charge",
  tableName: "charge",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    paymentId: p.string().columnType("text").primary(),
    sessionId: p.string().columnType("text"),
    number: p.integer(),
    reference: p.string().columnType("text"),
    /** The provider's account that the charge is made with; null in test mode, and for transfers. */
    accountId: p.string().columnType("text").nullable(),
    /** Number of times that the worker took up the request for the code or page; null if none is awaited. */
    preparationCount: p.integer().nullable(),
    pixCode: p.string().columnType("text").nullable(),
    /** Of a card: the issuer's page, or the provider's own. */
    challengeUrl: p.string().columnType("text").nullable(),
    /** How the card reaches the provider; null: it is no card's, or from an earlier release. */
    cardStyle: p.string().columnType("text").$type<CardStyle>().nullable(),
    /** The provider's own id of the charge whose page or code the payer has, as far as it is known. */
    providerChargeId: p.string().columnType("text").nullable(),
    /** The provider's own ids of other money of the charge, which callbacks named and no list of the provider has. */
    callbackChargeIds: p.array().fieldName("told_charge_ids").columnType("text[]").$type<string[]>(),
    /** Since when the provider reviews the payment; null: it does not. */
    reviewedAt: p.datetime().nullable(),
    /** Since when the charge is known to be withdrawn at the provider of a card; null: it is not. */
    removedAt: p.datetime().nullable(),
    /** How often the provider did not know the charge of a card. */
    absentCount: p.integer(),
    /** The provider's own reason: it is never shown outside. */
    declineReason: p.string().columnType("text").nullable(),
    /** The brand of the card that was declined, as far as it is known: a code's meaning may depend on it. */
    declineBrand: p.string().columnType("text").$type<CardBrand>().nullable(),
    /** Of the card that the payment was started with, as `RefusedCard` has it; null after the payment's end. */
    cardTokenHash: p.string().columnType("text").nullable(),
    acknowledgedTotalMinor: p.bigint().nullable(),
    sealedPayer: p.string().columnType("text").nullable(),
    /** What the payer is found by, as `payerWords` of the ledger has it; null: nothing was given, or it was erased. */
    payerWords: p.array().columnType("text[]").$type<string[]>().nullable(),
    /** When the payer's details were erased. */
    payerErasedAt: p.datetime().nullable(),
    /** The id of the money that made the payment succeed. */
    providerPaymentId: p.string().columnType("text").nullable(),
    /** Its endToEndId, where the provider has another id for it; null also where an earlier release took it. */
    endToEndId: p.string().columnType("text").nullable(),
    /** The card of that money; null: it is none, its provider does not say, or an earlier release took it. */
    cardBrand: p.string().columnType("text").$type<CardBrand>().nullable(),
    /** Erased with the payer's details. */
    cardLastFour: p.string().columnType("text").nullable(),
    /** When that money was paid. Null also where an earlier release took it. */
    paidAt: p.datetime().nullable(),
    /** How often the payer sent the receipt by e-mail; null: never. */
    receiptMailCount: p.integer().nullable(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    /** Time of the next request to the provider, whatever its earlier answers. */
    checkAt: p.datetime(),
    /** When a paid card's provider is asked next about its money; null: it is not asked. */
    settlementCheckAt: p.datetime().nullable(),
    /** Each change increments it, so that one report is not recorded twice. */
    receiptCount: p.integer(),
    /** True: the provider may still have news. */
    isOpen: p.boolean(),
  },
});

/** A card that its issuer refused for good, on the link that it was to pay. */
export const RefusedCard = defineEntity({
  name: "RefusedCard",
  tableName: "refused_card",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    linkId: p.string().columnType("text").primary(),
    /** Keyed, and of this link alone. */
    cardHash: p.string().columnType("text").primary(),
    createdAt: p.datetime(),
  },
});

export type ExceptionReason = "late" | "duplicate" | "wrong_amount";

/** Money that came in and could not be accepted as a payment. */
export const PaymentException = defineEntity({
  name: "PaymentException",
  tableName: "payment_exception",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    paymentId: p.string().columnType("text"),
    providerPaymentId: p.string().columnType("text"),
    reason: p.string().columnType("text").$type<ExceptionReason>(),
    amountMinor: p.bigint(),
    expectedMinor: p.bigint(),
    proposedRefundMinor: p.bigint(),
    /** What was given back or may still be. Two refunds at once cannot both add to it. */
    refundReservedMinor: p.bigint(),
    receivedAt: p.datetime(),
    createdAt: p.datetime(),
    /** When it is given back by itself; null: a person decides, or some of it went back or was to. */
    refundAt: p.datetime().nullable(),
  },
});

/**
 * Money that was accepted, as a success or an exception. Its identity is the account and the provider's id: it is
 * accepted once. Without an account it is the method and the id.
 */
export const TakenReceipt = defineEntity({
  name: "TakenReceipt",
  tableName: "taken_receipt",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    /** The account of the payment's charge; empty: it has none. */
    accountId: p.string().columnType("text").primary(),
    method: p.string().columnType("text").primary(),
    providerPaymentId: p.string().columnType("text").primary(),
    paymentId: p.string().columnType("text"),
    createdAt: p.datetime(),
  },
});

export type CheckoutSessionRow = InferEntity<typeof CheckoutSession>;
export type ChargeRow = InferEntity<typeof Charge>;
export type PaymentExceptionRow = InferEntity<typeof PaymentException>;

export const checkoutEntities = [
  PriceList,
  CheckoutSession,
  ListedOption,
  Charge,
  RefusedCard,
  PaymentException,
  TakenReceipt,
];
