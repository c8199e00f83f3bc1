import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import type { StoredProof } from "../providers/stored-config.ts";

/** A tenant's account at a payment provider. Its credentials are encrypted, and are never shown again. */
export const ProviderAccount = defineEntity({
  name: "ProviderAccount",
  tableName: "provider_account",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    kind: p.string().columnType("text").$type<"pix" | "card">(),
    profile: p.string().columnType("text"),
    label: p.string().columnType("text").nullable(),
    sealedConfig: p.string().columnType("text"),
    /** Of the client's id and secret, or of the API key: two accounts with one fingerprint have the same credentials. */
    fingerprint: p.string().columnType("text"),
    /** The last characters of the client's id, or of the API key. */
    lastFour: p.string().columnType("text"),
    /** Null: the account has no certificate. */
    certificateSubject: p.string().columnType("text").nullable(),
    certificateNotAfter: p.datetime().nullable(),
    callbackProof: p.string().columnType("text").$type<StoredProof["kind"]>(),
    /** The id by which a callback's address leads here: the hash of the secret in it. */
    callbackRoute: p.string().columnType("text"),
    state: p.string().columnType("text").$type<"active" | "retired">(),
    /** True: it is at a bank on the service's own machine, which moves no real money. */
    isDemo: p.boolean(),
    /** Each change of the credentials increments it. */
    revision: p.integer(),
    verifiedAt: p.datetime().nullable(),
    rotatedAt: p.datetime().nullable(),
    retiredAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    /** When the provider is asked next whether its queue of callbacks runs. */
    callbacksCheckAt: p.datetime(),
    /** Since when that queue was found interrupted. Null: it was not. */
    callbacksInterruptedAt: p.datetime().nullable(),
    /** When it last had few calls left at its provider, or none. Null: never. */
    fewCallsAt: p.datetime().nullable(),
  },
});

/** A callback whose proof was right. It holds what the callback refers to, and nothing that it says of money. */
export const ProviderCallback = defineEntity({
  name: "ProviderCallback",
  tableName: "provider_callback",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    accountId: p.string().columnType("text").primary(),
    bodyHash: p.string().columnType("text").primary(),
    /** The references of charges. */
    refersTo: p.array().columnType("text[]").$type<string[]>(),
    /** With one reference: the provider's own ids of its charges that lists may not have. */
    chargeIds: p.array().columnType("text[]").$type<string[]>(),
    attemptCount: p.integer(),
    /** How many references are of no charge of this account; null until the provider was asked. */
    unknownCount: p.integer().nullable(),
    /** Null: the provider was asked. */
    dueAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
});

/** A period of a statement, both ends included, in ISO 8601. */
export interface UnreadPeriod {
  readonly from: string;
  readonly to: string;
}

export type SweepKind = "received" | "day" | "returns";

/** How far one kind of an account's statement was read. */
export const ProviderSweep = defineEntity({
  name: "ProviderSweep",
  tableName: "provider_sweep",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    accountId: p.string().columnType("text").primary(),
    kind: p.string().columnType("text").$type<SweepKind>().primary(),
    /** Up to when it was read, but for what is unread; of returns after a failure, up to when this time. */
    sweptTo: p.datetime(),
    /** The periods before that which were not read, the oldest first. */
    unread: p.json<readonly UnreadPeriod[]>().columnType("jsonb"),
    dueAt: p.datetime(),
    /** Failures since the last success, or since the last that had read parts when its time was over. */
    failureCount: p.integer(),
  },
});

/** Money on an account that belongs to no charge. It is never credited by guess. */
export const UnknownMoney = defineEntity({
  name: "UnknownMoney",
  tableName: "unknown_money",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    accountId: p.string().columnType("text").primary(),
    endToEndId: p.string().columnType("text").primary(),
    txid: p.string().columnType("text").nullable(),
    amountMinor: p.bigint(),
    receivedAt: p.datetime(),
    createdAt: p.datetime(),
    /** The time at which a charge was found to have it. */
    resolvedAt: p.datetime().nullable(),
    /** When and by whom it was settled, and what became of it. Set once. */
    settledAt: p.datetime().nullable(),
    settledBy: p.string().columnType("text").nullable(),
    settlementNote: p.string().columnType("text").nullable(),
  },
});

export type AccountRow = InferEntity<typeof ProviderAccount>;
export type SweepRow = InferEntity<typeof ProviderSweep>;
export type UnknownMoneyRow = InferEntity<typeof UnknownMoney>;

export const providerAccountsEntities = [ProviderAccount, ProviderCallback, ProviderSweep, UnknownMoney];
