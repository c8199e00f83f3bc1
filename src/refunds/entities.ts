import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import { type RefundStatus as StatusEnum } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { type WordOf } from "../../contract/enum-words.ts";
import type { RefundFeeRule } from "../ledger/refund-postings.ts";

/** Money that goes back: a refund that the merchant asked for, or a return that the provider made by itself. */
export const Refund = defineEntity({
  name: "Refund",
  tableName: "refund",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    /** It is the provider's idempotency key, too. */
    id: p.string().columnType("text").primary(),
    paymentId: p.string().columnType("text"),
    /** The exception whose money it is; null: the payment's own money. */
    exceptionId: p.string().columnType("text").nullable(),
    /** The provider's id of the money; null if no provider has it, as of simulated payments. */
    providerPaymentId: p.string().columnType("text").nullable(),
    accountId: p.string().columnType("text").nullable(),
    origin: p.string().columnType("text").$type<"merchant" | "provider">(),
    /** The provider's own id of a return. */
    providerReturnId: p.string().columnType("text").nullable(),
    /** What goes back; once it has left, what is booked. */
    amountMinor: p.bigint(),
    /** What was asked for or reported beyond it: the provider denied it, or no more was left of the payment. */
    unbookedMinor: p.bigint(),
    status: p.string().columnType("text").$type<WordOf<typeof StatusEnum>>(),
    reason: p.string().columnType("text").nullable(),
    /** The provider's own reason of a failure or a refusal: it is never shown outside. */
    failureReason: p.string().columnType("text").nullable(),
    feeRule: p.string().columnType("text").$type<RefundFeeRule>(),
    /** What had left the payment before this money did; null until it leaves, and of an exception's money. */
    beforeMinor: p.bigint().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime().nullable(),
    /** The chargeback of which this is a part that could be booked only later; null: this is no such part. */
    restOf: p.string().columnType("text").nullable(),
    /** When the money of a chargeback was found to have come back; null: it did not. */
    reversedAt: p.datetime().nullable(),
    /** What had left the payment without it then; null as `reversedAt`, and of an exception's money. */
    reversedBeforeMinor: p.bigint().nullable(),
    /** Time of the next request to the provider. */
    checkAt: p.datetime(),
    /** Each change increments it, so that one answer is not recorded twice. */
    changeCount: p.integer(),
    /** When the provider refused it; null if it did not, or was found to have it. */
    refusedAt: p.datetime().nullable(),
    /** How often the provider did not have it since it refused it. */
    absenceCount: p.integer(),
    /** When its request may have left for a provider that has no idempotency key; null: it has not. */
    sentAt: p.datetime().nullable(),
  },
});

export type RefundRow = InferEntity<typeof Refund>;

export const refundsEntities = [Refund];
