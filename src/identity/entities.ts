import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import type { PayerRules } from "./payer-fields.ts";
import type { Profile } from "./profile.ts";

/** A merchant and its settings. */
export const Tenant = defineEntity({
  name: "Tenant",
  tableName: "tenant",
  schema: "identity",
  properties: {
    id: p.string().columnType("text").primary(),
    name: p.string().columnType("text"),
    paymentMethods: p.array().columnType("text[]"),
    maxInstallments: p.integer(),
    collectFields: p.array().columnType("text[]"),
    payerFields: p.json<PayerRules>().columnType("jsonb"),
    settlementDays: p.integer(),
    leastSettlementDays: p.integer(),
    /** 0: without end. */
    payerRetentionDays: p.integer(),
    /** 0: never. */
    exceptionRefundHours: p.integer(),
    refundFee: p.string().columnType("text").$type<"merchant" | "service">(),
    profile: p.json<Profile>().columnType("jsonb"),
    createdAt: p.datetime(),
    membershipVersion: p.integer(),
  },
});

/** A legal entity of a tenant: the payee, and its payout currency. */
export const LegalEntity = defineEntity({
  name: "LegalEntity",
  tableName: "legal_entity",
  schema: "identity",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    name: p.string().columnType("text"),
    payoutCurrency: p.string().columnType("text").$type<"BRL" | "USD">(),
    isActive: p.boolean(),
    createdAt: p.datetime(),
  },
});

/** An API key. Only the SHA-256 of its plaintext is stored. */
export const ApiKey = defineEntity({
  name: "ApiKey",
  tableName: "api_key",
  schema: "identity",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    name: p.string().columnType("text"),
    mode: p.string().columnType("text").$type<"live" | "test">(),
    scopes: p.array().columnType("text[]"),
    keyHash: p.string().columnType("text"),
    lastFour: p.string().columnType("text"),
    createdAt: p.datetime(),
    revokedAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
    // Unique in a tenant: of two requests with the same one, one creates a key.
    submissionId: p.string().columnType("text").fieldName("once").nullable(),
    expiresAt: p.datetime().nullable(),
    // Addresses and networks that the key may be used from; empty: any.
    addresses: p.array().columnType("text[]"),
    // The key's successor. The key's own expiry is then the end of the overlap.
    replacedBy: p.string().columnType("text").nullable(),
  },
});

/** Finds the owner of an id that comes without its tenant: of a link's page, of a key's hash. */
export const IdOwner = defineEntity({
  name: "IdOwner",
  tableName: "route",
  schema: "identity",
  properties: {
    id: p.string().columnType("text").primary(),
    tenantId: p.string().columnType("text"),
    mode: p.string().columnType("text").$type<"live" | "test">(),
  },
});

/** The credential of an internal team for the core. Only the SHA-256 of its plaintext is stored. */
export const CoreToken = defineEntity({
  name: "CoreToken",
  tableName: "core_token",
  schema: "identity",
  properties: {
    id: p.string().columnType("text").primary(),
    name: p.string().columnType("text"),
    permissions: p.array().columnType("text[]"),
    tokenHash: p.string().columnType("text"),
    lastFour: p.string().columnType("text"),
    createdAt: p.datetime(),
    revokedAt: p.datetime().nullable(),
    // The tenant and mode that the token is bound to; null: any.
    tenantId: p.string().columnType("text").nullable(),
    mode: p.string().columnType("text").$type<"live" | "test">().nullable(),
    isGateway: p.boolean(),
  },
});

export type TenantRow = InferEntity<typeof Tenant>;
export type LegalEntityRow = InferEntity<typeof LegalEntity>;
export type ApiKeyRow = InferEntity<typeof ApiKey>;
export type CoreTokenRow = InferEntity<typeof CoreToken>;

export const identityEntities = [Tenant, LegalEntity, ApiKey, CoreToken, IdOwner];
