import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import type { Aftermath } from "./directory.ts";

/** A charge of the sandbox provider. It is the provider's own data: no other room's service reads it. */
export const SandboxCharge = defineEntity({
  name: "SandboxCharge",
  tableName: "sandbox_charge",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    reference: p.string().columnType("text").primary(),
    amountMinor: p.bigint(),
    status: p.string().columnType("text").$type<"waiting" | "challenge" | "paid" | "refused">(),
    reason: p.string().columnType("text").nullable(),
    challengeUrl: p.string().columnType("text").nullable(),
    paidAt: p.datetime().nullable(),
    /** Centavos that the sandbox takes of it; null: none. */
    feeMinor: p.bigint().nullable(),
    /** Of a card; 1 of PIX. */
    installments: p.integer(),
    /** What happens to the money of a simulated payment afterwards; null: nothing. */
    aftermath: p.string().columnType("text").$type<Aftermath>().nullable(),
    /** Since when: the sandbox was asked for the first time then; null: it was not. */
    aftermathAt: p.datetime().nullable(),
    /** When the sandbox answers for the charge first; null: at once. */
    answersAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
});

/** Money that the sandbox provider gave back. */
export const SandboxRefund = defineEntity({
  name: "SandboxRefund",
  tableName: "sandbox_refund",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    refundId: p.string().columnType("text").primary(),
    reference: p.string().columnType("text"),
    amountMinor: p.bigint(),
    /** When the money leaves. */
    createdAt: p.datetime(),
  },
});

export type SandboxChargeRow = InferEntity<typeof SandboxCharge>;
export type SandboxRefundRow = InferEntity<typeof SandboxRefund>;

export const providersEntities = [SandboxCharge, SandboxRefund];
