import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import { userEntities } from "../users/entities.ts";

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
    settlementDays: p.integer(),
    createdAt: p.datetime(),
    membershipVersion: p.integer(),
  },
});

/** A legal entity of a tenant: what is paid, and in which currency. */
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

/** An API key; of its plaintext only the SHA-256 is kept. */
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
    // Unique of a tenant: of two who ask with the same one, one gets a key.
    submissionId: p.string().columnType("text").fieldName("once").nullable(),
    expiresAt: p.datetime().nullable(),
    // Addresses and networks that it may be used from; empty: any.
    addresses: p.array().columnType("text[]"),
    // The key that takes its place; its own expiry is then the end of the overlap.
    replacedBy: p.string().columnType("text").nullable(),
  },
});

/** Finds the owner of something that is known by an id alone: a link's page, a key's hash. */
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

/** What an internal team presents to the core; of its plaintext only the SHA-256 is kept. */
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
    // What it is bound to; null: to none.
    tenantId: p.string().columnType("text").nullable(),
    mode: p.string().columnType("text").$type<"live" | "test">().nullable(),
    isGateway: p.boolean(),
  },
});

export type TenantRow = InferEntity<typeof Tenant>;
export type LegalEntityRow = InferEntity<typeof LegalEntity>;
export type ApiKeyRow = InferEntity<typeof ApiKey>;
export type CoreTokenRow = InferEntity<typeof CoreToken>;

export const identityEntities = [Tenant, LegalEntity, ApiKey, CoreToken, IdOwner, ...userEntities];
