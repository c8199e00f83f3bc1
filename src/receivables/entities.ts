import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import { type DisputeStatus as StatusEnum } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { type WordOf } from "../../contract/enum-words.ts";
import type { ProviderEntryKind } from "../ledger/provider-postings.ts";

/**
 * What a card provider said of an installment for the first time, or has said otherwise since. Rows are only added: what
 * holds of a kind and an installment is the sum of its amounts.
 */
export const ReceivableFact = defineEntity({
  name: "ReceivableFact",
  tableName: "receivable_fact",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    paymentId: p.string().columnType("text").primary(),
    kind: p.string().columnType("text").$type<ProviderEntryKind>().primary(),
    installment: p.integer().primary(),
    /** Which one of this kind and installment it is, from 1 on. */
    number: p.integer().primary(),
    accountId: p.string().columnType("text"),
    /** Centavos by which the sum changes. 0: only the expected day is another one. */
    amountMinor: p.bigint(),
    /** Of a receivable the expected day, of a payout the day of it; null: it has none. */
    onDay: p.date().nullable(),
    createdAt: p.datetime(),
  },
});

/** A payer's contest: of a card's installment, or of a payment as a whole. */
export const Dispute = defineEntity({
  name: "Dispute",
  tableName: "dispute",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    paymentId: p.string().columnType("text"),
    accountId: p.string().columnType("text"),
    providerDisputeId: p.string().columnType("text"),
    /** 0: the payment as a whole. */
    installment: p.integer(),
    amountMinor: p.bigint(),
    status: p.string().columnType("text").$type<WordOf<typeof StatusEnum>>(),
    /** The provider's own code. */
    reason: p.string().columnType("text").nullable(),
    openedOn: p.date().nullable(),
    respondBy: p.date().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime().nullable(),
  },
});

export type ReceivableFactRow = InferEntity<typeof ReceivableFact>;
export type DisputeRow = InferEntity<typeof Dispute>;

export const receivablesEntities = [ReceivableFact, Dispute];
