import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import type { PaymentStatus } from "../ledger/entities.ts";
import type { Currency, PaymentMethod } from "../pricing/fee-rule.ts";

/** A sum as a seal stores it: amounts as decimal texts, which JSON keeps exact. */
export interface KeptSum {
  readonly grossCurrency: Currency;
  readonly netCurrency: Currency;
  readonly feeCurrency: Currency;
  readonly method: PaymentMethod | null;
  readonly status: PaymentStatus;
  readonly paymentCount: string;
  readonly grossMinor: string;
  readonly feeMinor: string;
  readonly netMinor: string;
}

/** A closed day. Append-only. */
export const DaySeal = defineEntity({
  name: "DaySeal",
  tableName: "day_seal",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    day: p.date().primary(),
    formatVersion: p.integer(),
    paymentCount: p.bigint(),
    byteCount: p.bigint(),
    rowsSha256: p.string().columnType("text"),
    sums: p.json<KeptSum[]>().columnType("json"),
    sealedBy: p.string().columnType("text").nullable(),
    sealedAt: p.datetime(),
    /** Covers all fields above, and the mode. */
    headSha256: p.string().columnType("text"),
  },
});

/** A chunk of a sealed day's rows, in their order. Append-only. */
export const SealedRows = defineEntity({
  name: "SealedRows",
  tableName: "sealed_rows",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    day: p.date().primary(),
    /** Number of rows before these. */
    position: p.bigint().primary(),
    rowCount: p.integer(),
    bytes: p.blob().columnType("bytea"),
    /** The status of each row's payment. */
    states: p.array().columnType("text[]"),
  },
});

export type DaySealRow = InferEntity<typeof DaySeal>;

export const closesEntities = [DaySeal, SealedRows];
