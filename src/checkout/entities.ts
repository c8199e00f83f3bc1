import { defineEntity, p, type InferEntity } from "@mikro-orm/core";

/** A time in which the prices that a payer was shown hold. */
export const CheckoutSession = defineEntity({
  name: "CheckoutSession",
  tableName: "checkout_session",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    linkId: p.string().columnType("text"),
    /** Payments started in it: whoever starts one counts on, so that two at once do not both start. */
    paymentCount: p.integer(),
    expiresAt: p.datetime(),
    createdAt: p.datetime(),
  },
});

/** A way to pay of a session. Holds no amount: they are on its price row. */
export const CheckoutOption = defineEntity({
  name: "CheckoutOption",
  tableName: "checkout_option",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    sessionId: p.string().columnType("text").primary(),
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

export type CheckoutSessionRow = InferEntity<typeof CheckoutSession>;
export type ChargeRow = InferEntity<typeof Charge>;
export type PaymentExceptionRow = InferEntity<typeof PaymentException>;

export const checkoutEntities = [CheckoutSession, CheckoutOption, Charge, PaymentException];
