import { create } from "@bufbuild/protobuf";
import { timestampFromDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { stampOf } from "../platform/time/timestamps.ts";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  InvitationSchema,
  ListedSessionSchema,
  MemberSchema,
  Role,
  SessionSchema,
  type Invitation,
  type ListedSession,
  type Member,
  type Session,
} from "../../gen/paylink/identity/v1/users_pb.ts";
import type { RoleName, SessionRow } from "./entities.ts";
import type { ListedInvitation, ListedMember } from "./repository.ts";
import { IDLE_SECONDS, type GoodSession } from "./session-repository.ts";

const roles = wordsOf(Role);

export function toRole(name: RoleName): Role {
  return roles.numbers[name];
}

/** Validation refuses all other roles. */
export function fromRole(role: Role): RoleName {
  return roles.wordOf(role) ?? "viewer";
}

export function toSession(
  session: GoodSession,
  tenants: readonly { tenantId: string; tenantName: string; role: RoleName }[],
): Session {
  const { id, userId, email, name, tenantId, tenantName, role, lastSeenAt, expiresAt } = session;
  return create(SessionSchema, {
    id,
    user: { id: userId, email, name },
    membership: { tenantId, tenantName, role: toRole(role) },
    memberships: tenants.map((tenant) => ({ ...tenant, role: toRole(tenant.role) })),
    createdAt: timestampFromMs(session.createdAt * 1000),
    idleExpiresAt: timestampFromMs(Math.min(lastSeenAt + IDLE_SECONDS, expiresAt) * 1000),
    expiresAt: timestampFromMs(expiresAt * 1000),
  });
}

export function toListedSession(
  row: SessionRow & { readonly tenantName: string },
  currentId: string,
): ListedSession {
  const { id, tenantName, address, userAgent } = row;
  return create(ListedSessionSchema, {
    id,
    tenantName,
    address,
    userAgent,
    createdAt: timestampFromDate(row.createdAt),
    lastSeenAt: timestampFromDate(row.lastSeenAt),
    isCurrent: id === currentId,
  });
}

export function toMember({ userId, email, name, role, createdAt, lastSignedInAt }: ListedMember): Member {
  return create(MemberSchema, {
    userId,
    email,
    name,
    role: toRole(role),
    createdAt: timestampFromDate(createdAt),
    lastSignedInAt: stampOf(lastSignedInAt),
  });
}

export function toInvitation({
  id,
  email,
  role,
  userId,
  createdAt,
  expiresAt,
}: ListedInvitation): Invitation {
  return create(InvitationSchema, {
    id,
    email,
    role: toRole(role),
    createdAt: timestampFromDate(createdAt),
    expiresAt: timestampFromDate(expiresAt),
    userId: userId ?? undefined,
  });
}
