import { defineEntity, p, type InferEntity } from "@mikro-orm/core";

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
    /** Number of times that the worker took up the request for the code; null if no code is awaited. */
    preparationCount: p.integer().nullable(),
    pixCode: p.string().columnType("text").nullable(),
    challengeUrl: p.string().columnType("text").nullable(),
    /** The provider's own reason: it is never shown outside. */
    declineReason: p.string().columnType("text").nullable(),
    acknowledgedTotalMinor: p.bigint().nullable(),
    sealedPayer: p.string().columnType("text").nullable(),
    /** The id of the money that made the payment succeed. */
    providerPaymentId: p.string().columnType("text").nullable(),
    /** When that money was paid. Null also where an earlier release took it. */
    paidAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    /** Time of the next request to the provider, whatever its earlier answers. */
    checkAt: p.datetime(),
    /** Each change increments it, so that one report is not recorded twice. */
    receiptCount: p.integer(),
    /** True: the provider may still have news. */
    isOpen: p.boolean(),
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
  },
});

/**
 * Money that was accepted, as a success or an exception. A tenant accepts the same money of a method's provider once.
 */
export const TakenReceipt = defineEntity({
  name: "TakenReceipt",
  tableName: "taken_receipt",
  properties: {
    tenantId: p.string().columnType("text").primary(),
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
  PaymentException,
  TakenReceipt,
];
