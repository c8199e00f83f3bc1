import type { EntityManager } from "@mikro-orm/postgresql";
import type { Environment } from "../platform/db/database.ts";
import { Tenant } from "../identity/entities.ts";
import {
  Invitation,
  Membership,
  User,
  type InvitationRow,
  type MembershipRow,
  type RoleName,
  type UserRow,
} from "./entities.ts";

/** An account with its memberships, as a sign-in needs it. */
export interface Account {
  readonly user: UserRow;
  /** The memberships of its user, the latest sign-in first. */
  readonly memberships: readonly MembershipRow[];
}

/** The members of a tenant, as of a version. */
export interface Members {
  readonly version: number;
  readonly memberships: readonly MembershipRow[];
}

/** Returns all accounts with an address, oldest first. */
export async function findAccounts({ orm }: Environment, email: string): Promise<Account[]> {
  return await accountsBy(orm.em.fork(), { email });
}

export async function findAccount({ orm }: Environment, id: string): Promise<Account | undefined> {
  return (await accountsBy(orm.em.fork(), { id }))[0];
}

async function accountsBy(em: EntityManager, by: { readonly email: string } | { readonly id: string }) {
  const users = await em.find(User, by, { orderBy: { createdAt: "asc", id: "asc" } });
  // This query also runs without a user, so that both cases take equally long.
  const memberships = await em.find(
    Membership,
    { userId: { $in: users.map(({ id }) => id) } },
    { orderBy: { lastSignedInAt: "desc nulls last", createdAt: "asc", tenantId: "asc" } },
  );
  return users.map((user) => ({
    user,
    memberships: memberships.filter(({ userId }) => userId === user.id),
  }));
}

/** Returns true if one of the accounts belongs to the tenant. */
export function isMemberAmong(accounts: readonly Account[], tenantId: string): boolean {
  return accounts.some(({ memberships }) => memberships.some((one) => one.tenantId === tenantId));
}

/** Returns the accounts' password hashes. */
export function hashesAmong(accounts: readonly Account[]): string[] {
  return accounts.map(({ user }) => user.passwordHash);
}

export async function findTenantName({ orm }: Environment, tenantId: string): Promise<string | undefined> {
  return (await orm.em.fork().findOne(Tenant, { id: tenantId }))?.name;
}

/** Returns a valid link by the hex SHA-256 of its token, or null if there is none. */
export async function findInvitation(
  { orm }: Environment,
  tokenHash: string,
  now: Date,
): Promise<InvitationRow | null> {
  return await orm.em.fork().findOne(Invitation, { tokenHash, endedAt: null, expiresAt: { $gt: now } });
}

/** Returns a tenant's link that was not ended, possibly an expired one, or null if there is none. */
export async function findUnendedInvitation(
  { orm }: Environment,
  tenantId: string,
  by: { readonly email: string } | { readonly id: string },
): Promise<InvitationRow | null> {
  return await orm.em.fork().findOne(Invitation, { tenantId, endedAt: null, ...by });
}

/** A row as a plain query returns it: its times are texts. */
type InText<Row> = {
  readonly [Name in keyof Row]: Date extends Row[Name] ? string | Exclude<Row[Name], Date> : Row[Name];
};

/** What a tenant's users see of a one-time link. */
export type ListedInvitation = Pick<
  InvitationRow,
  "id" | "email" | "role" | "userId" | "createdAt" | "expiresAt"
>;

/** Returns the open one-time links of a tenant, oldest first. A thousand entities would keep the process for 25 ms. */
export async function listInvitations(
  { pool }: Environment,
  tenantId: string,
  now: Date,
): Promise<ListedInvitation[]> {
  const { rows } = await pool.query<InText<ListedInvitation>>({
    name: "open invitations",
    text: `SELECT id, email, role, user_id AS "userId", created_at AS "createdAt", expires_at AS "expiresAt"
      FROM invitation WHERE tenant_id = $1 AND ended_at IS NULL AND expires_at > $2 ORDER BY id`,
    values: [tenantId, now],
  });
  return rows.map((row) => ({
    ...row,
    createdAt: new Date(row.createdAt),
    expiresAt: new Date(row.expiresAt),
  }));
}

/** A member with what their account says of them. */
export type ListedMember = Pick<MembershipRow, "userId" | "role" | "createdAt" | "lastSignedInAt"> &
  Pick<UserRow, "email" | "name">;

/** Returns the members of a tenant, the first one first. */
export async function listMembers({ pool }: Environment, tenantId: string): Promise<ListedMember[]> {
  const { rows } = await pool.query<InText<ListedMember>>({
    name: "members",
    text: `SELECT m.user_id AS "userId", u.email, u.name, m.role, m.created_at AS "createdAt",
        m.last_signed_in_at AS "lastSignedInAt"
      FROM membership m JOIN "user" u ON u.id = m.user_id WHERE m.tenant_id = $1 ORDER BY m.created_at, m.user_id`,
    values: [tenantId],
  });
  return rows.map((row) => ({
    ...row,
    createdAt: new Date(row.createdAt),
    lastSignedInAt: row.lastSignedInAt == null ? null : new Date(row.lastSignedInAt),
  }));
}

/** The version is read first: a commit that checks it detects every later change. */
export async function findMembers({ orm }: Environment, tenantId: string): Promise<Members | undefined> {
  const em = orm.em.fork();
  const tenant = await em.findOne(Tenant, { id: tenantId });
  if (!tenant) return undefined;
  const memberships = await em.find(
    Membership,
    { tenantId },
    { orderBy: { createdAt: "asc", userId: "asc" } },
  );
  return { version: tenant.membershipVersion, memberships };
}

/** Returns the role of a user in a tenant, or undefined if they are no member. */
export async function findRole(
  { orm }: Environment,
  tenantId: string,
  userId: string,
): Promise<RoleName | undefined> {
  return (await orm.em.fork().findOne(Membership, { tenantId, userId }))?.role;
}

export async function findUsers({ orm }: Environment, ids: readonly string[]): Promise<UserRow[]> {
  return await orm.em.fork().find(User, { id: { $in: [...ids] } });
}

/** Returns all tenants of a user, by name. */
export async function findTenantsOf(
  { pool }: Environment,
  userId: string,
): Promise<{ tenantId: string; tenantName: string; role: RoleName }[]> {
  const { rows } = await pool.query<{ tenantId: string; tenantName: string; role: RoleName }>({
    name: "tenants of user",
    text: `SELECT t.id AS "tenantId", t.name AS "tenantName", m.role
      FROM membership m JOIN tenant t ON t.id = m.tenant_id WHERE m.user_id = $1 ORDER BY t.name, t.id`,
    values: [userId],
  });
  return rows;
}
