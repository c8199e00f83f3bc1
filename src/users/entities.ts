import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import { type Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { type WordOf } from "../../contract/enum-words.ts";

/** The roles of members. */
export type RoleName = WordOf<typeof Role>;

/**
 * A user's account, which may belong to several tenants. Its secrets are a slow hash and an encrypted secret. An
 * address may have several accounts, which share nothing else.
 */
export const User = defineEntity({
  name: "User",
  tableName: "user",
  schema: "identity",
  properties: {
    id: p.string().columnType("text").primary(),
    email: p.string().columnType("text"),
    name: p.string().columnType("text"),
    passwordHash: p.string().columnType("text"),
    totpSealed: p.string().columnType("text"),
    totpStep: p.integer(),
    createdAt: p.datetime(),
    /** The language of e-mails; null: not known. */
    language: p.string().columnType("text").nullable(),
  },
});

/** A user's membership in a tenant. */
export const Membership = defineEntity({
  name: "Membership",
  tableName: "membership",
  schema: "identity",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    userId: p.string().columnType("text").primary(),
    role: p.string().columnType("text").$type<RoleName>(),
    createdAt: p.datetime(),
    lastSignedInAt: p.datetime().nullable(),
  },
});

/** A one-time link: an invitation into a tenant, or, with a user's id, a reset of a member's secrets. */
export const Invitation = defineEntity({
  name: "Invitation",
  tableName: "invitation",
  schema: "identity",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    tokenHash: p.string().columnType("text"),
    email: p.string().columnType("text"),
    role: p.string().columnType("text").$type<RoleName>(),
    userId: p.string().columnType("text").nullable(),
    isOperator: p.boolean(),
    /** The user who made it; null: an operator, or an earlier release. */
    madeBy: p.string().columnType("text").nullable(),
    totpSealed: p.string().columnType("text"),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    endedAt: p.datetime().nullable(),
  },
});

/** A user's session. Only the SHA-256 of its token is stored. An ended session has no row. */
export const Session = defineEntity({
  name: "Session",
  tableName: "session",
  schema: "identity",
  properties: {
    tokenHash: p.string().columnType("text").primary(),
    id: p.string().columnType("text"),
    userId: p.string().columnType("text"),
    tenantId: p.string().columnType("text"),
    address: p.string().columnType("text"),
    userAgent: p.string().columnType("text"),
    createdAt: p.datetime(),
    lastSeenAt: p.datetime(),
    expiresAt: p.datetime(),
  },
});

export type UserRow = InferEntity<typeof User>;
export type MembershipRow = InferEntity<typeof Membership>;
export type InvitationRow = InferEntity<typeof Invitation>;
export type SessionRow = InferEntity<typeof Session>;

export const userEntities = [User, Membership, Invitation, Session];
