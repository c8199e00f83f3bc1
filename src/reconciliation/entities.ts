import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import type { BankPath, Leg } from "./matching/lines.ts";

/** A merchant's account at a bank, whose files are imported. */
export const BankAccount = defineEntity({
  name: "BankAccount",
  tableName: "bank_account",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    name: p.string().columnType("text"),
    /** As `readMapping` reads it. Null: it has no CSV or XLSX files. */
    mapping: p.json<unknown>().columnType("json").nullable(),
    /** The provider account whose money comes there, and how; both null: none. */
    accountId: p.string().columnType("text").nullable(),
    path: p.string().columnType("text").$type<BankPath>().nullable(),
    /** Each change increments it. */
    changeCount: p.integer(),
    createdAt: p.datetime(),
  },
});

/** A bank's file that was imported. A file is imported once. */
export const BankImport = defineEntity({
  name: "BankImport",
  tableName: "bank_import",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    bankAccountId: p.string().columnType("text"),
    fileName: p.string().columnType("text"),
    sha256: p.string().columnType("text"),
    importedCount: p.integer(),
    knownCount: p.integer(),
    /** What the file says is there at the end of a day; null: it does not. */
    balanceDay: p.date().nullable(),
    balanceMinor: p.bigint().nullable(),
    importedBy: p.string().columnType("text"),
    importedAt: p.datetime(),
  },
});

/** A fee that a provider account has agreed with its provider, by its place in the list. */
export const ContractedFee = defineEntity({
  name: "ContractedFee",
  tableName: "contracted_fee",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    accountId: p.string().columnType("text").primary(),
    number: p.integer().primary(),
    kind: p.string().columnType("text"),
    brand: p.string().columnType("text").nullable(),
    installmentsFrom: p.integer(),
    installmentsTo: p.integer(),
    percentPpm: p.bigint(),
    fixedMinor: p.bigint(),
  },
});

/** A person's word on lines of one leg. It is kept after it is undone. */
export const ReconciliationDecision = defineEntity({
  name: "ReconciliationDecision",
  tableName: "reconciliation_decision",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    leg: p.string().columnType("text").$type<Leg>(),
    reason: p.string().columnType("text"),
    lineKeys: p.json<readonly string[]>().columnType("json"),
    madeBy: p.string().columnType("text"),
    madeAt: p.datetime(),
    undoneBy: p.string().columnType("text").nullable(),
    undoneAt: p.datetime().nullable(),
  },
});

export type BankAccountRow = InferEntity<typeof BankAccount>;
export type BankImportRow = InferEntity<typeof BankImport>;
export type ContractedFeeRow = InferEntity<typeof ContractedFee>;
export type DecisionRow = InferEntity<typeof ReconciliationDecision>;

export const reconciliationEntities = [BankAccount, BankImport, ContractedFee, ReconciliationDecision];
