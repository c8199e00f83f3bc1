import { defineEntity, p, type InferEntity } from "@mikro-orm/core";

/** The prices of a link's ways to pay, for every session that is opened while they would come out the same. */
export const PriceList = defineEntity({
  name: "PriceList",
  tableName: "price_list",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    linkId: p.string().columnType("text"),
    /** Of all that its prices were made of and came to. Null: of one session alone, from before lists were shared. */
    fingerprint: p.string().columnType("text").nullable(),
    createdAt: p.datetime(),
  },
});

/** A time in which the prices that a payer was shown hold. */
export const CheckoutSession = defineEntity({
  name: "CheckoutSession",
  tableName: "checkout_session",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    linkId: p.string().columnType("text"),
    priceListId: p.string().columnType("text"),
    /** Payments started in it: whoever starts one counts on, so that two at once do not both start. */
    paymentCount: p.integer(),
    /** The success that money led to: two at once do not both become it. Null where simulate_payment or a former release saw it paid. */
    paidPaymentId: p.string().columnType("text").nullable(),
    expiresAt: p.datetime(),
    createdAt: p.datetime(),
  },
});

/** A way to pay of a price list. Holds no amount: they are on its price row. */
export const CheckoutOption = defineEntity({
  name: "CheckoutOption",
  tableName: "checkout_option",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    priceListId: p.string().columnType("text").primary(),
    number: p.integer().primary(),
    priceId: p.string().columnType("text"),
  },
});

/** What was asked of a provider for a payment. */
export const Charge = defineEntity({
  name: "Charge",
  tableName: "charge",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    paymentId: p.string().columnType("text").primary(),
    sessionId: p.string().columnType("text"),
    number: p.integer(),
    reference: p.string().columnType("text"),
    pixCode: p.string().columnType("text").nullable(),
    challengeUrl: p.string().columnType("text").nullable(),
    /** The provider's own word: it never leaves. */
    declineReason: p.string().columnType("text").nullable(),
    acknowledgedTotalMinor: p.bigint().nullable(),
    sealedPayer: p.string().columnType("text").nullable(),
    /** Of the money that made the payment succeed. */
    providerPaymentId: p.string().columnType("text").nullable(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    /** When the provider is asked next, whatever it told before. */
    checkAt: p.datetime(),
    /** Counted on by each change, so that one report is not taken twice. */
    receiptCount: p.integer(),
    /** The provider may still have something to tell. */
    isOpen: p.boolean(),
  },
});

export type ExceptionReason = "late" | "duplicate" | "wrong_amount";

/** Money that came in and could not be taken as a payment. */
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
    receivedAt: p.datetime(),
    createdAt: p.datetime(),
  },
});

/** Money that was taken, as a success or an exception: the same one is taken once in a tenant, by each method's provider. */
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
  CheckoutOption,
  Charge,
  PaymentException,
  TakenReceipt,
];
