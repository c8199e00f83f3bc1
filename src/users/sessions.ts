import type { ServiceImpl } from "@connectrpc/connect";
import type { UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import type { AuditRow, CallAudit } from "../platform/rpc/audit-entry.ts";
import { auditOf } from "../platform/rpc/audit-trail.ts";
import { update, type Change } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { forgetBrowsers } from "./known-browsers.ts";
import { Membership, Session } from "./entities.ts";
import { toListedSession, toSession } from "./mapping.ts";
import { findTenantsOf } from "./repository.ts";
import type { UsersDeps } from "./deps.ts";
import { endSession, endSessionsOf } from "./session-ends.ts";
import { findGoodSession, listGoodSessions, touchSession, type GoodSession } from "./session-repository.ts";
import { hexOf } from "./token.ts";

type Rpcs = Pick<
  ServiceImpl<typeof UsersService>,
  "authenticateSession" | "signOut" | "signOutEverywhere" | "listSessions" | "revokeSession" | "switchTenant"
>;

const TOUCH_SECONDS = 60;

/** Authenticates and ends users' sessions. Nothing is cached in memory. */
export function sessionRpcs(deps: UsersDeps): Rpcs {
  async function commit(changes: readonly Change[], entry: AuditRow | undefined): Promise<void> {
    if ((await deps.identity.committer.commit(changes, entry)) === "committed") return;
    throw new PaylinkError("invalid_session", "The session has ended: sign in again.");
  }

  return {
    authenticateSession: async ({ tokenHash }) => {
      const { identity, clock } = deps;
      const session = await sessionOf(deps, tokenHash);
      const now = wholeSecond(clock);
      const seen = Math.floor(now.getTime() / 1000);
      const isDue = seen - session.lastSeenAt >= TOUCH_SECONDS;
      if (isDue) await touchSession(identity, session.tokenHash, now);
      const tenants = await findTenantsOf(identity, session.userId);
      return { session: toSession(isDue ? { ...session, lastSeenAt: seen } : session, tenants) };
    },
    signOut: async ({ tokenHash }, context) => {
      const session = await sessionOf(deps, tokenHash);
      const entry = entryOf(auditOf(context), session, session.id);
      await commit([endSession(session.tokenHash)], entry);
      return {};
    },
    signOutEverywhere: async ({ tokenHash }, context) => {
      const session = await sessionOf(deps, tokenHash);
      const { userId } = session;
      const entry = entryOf(auditOf(context), session, userId);
      await commit([endSessionsOf(userId), forgetBrowsers(userId)], entry);
      return {};
    },
    listSessions: async ({ tokenHash }) => {
      const { identity, clock } = deps;
      const session = await sessionOf(deps, tokenHash);
      const rows = await listGoodSessions(identity, session.userId, wholeSecond(clock));
      return { sessions: rows.map((row) => toListedSession(row, session.id)) };
    },
    revokeSession: async ({ tokenHash, id }, context) => {
      const { identity, clock } = deps;
      const session = await sessionOf(deps, tokenHash);
      const rows = await listGoodSessions(identity, session.userId, wholeSecond(clock));
      const ending = rows.find((row) => row.id === id);
      if (!ending) throw new PaylinkError("session_not_found", "There is no such session.");
      await commit([endSession(ending.tokenHash)], entryOf(auditOf(context), session, id));
      return {};
    },
    switchTenant: async ({ tokenHash, tenantId }, context) => {
      const { identity, clock } = deps;
      const session = await sessionOf(deps, tokenHash);
      const { userId } = session;
      const tenants = await findTenantsOf(identity, userId);
      const chosen = tenants.find((tenant) => tenant.tenantId === tenantId);
      if (!chosen) throw new PaylinkError("tenant_not_found", "There is no such tenant.");
      if (tenantId !== session.tenantId) {
        const changes = [
          update(Session, { tokenHash: session.tokenHash, tenantId: session.tenantId }, { tenantId }),
          update(Membership, { tenantId, userId }, { lastSignedInAt: wholeSecond(clock) }),
        ];
        await commit(changes, entryOf(auditOf(context), { ...session, tenantId }, session.id));
      }
      return { session: toSession({ ...session, ...chosen }, tenants) };
    },
  };
}

/** Returns the session of a token. Error: invalid_session. */
export async function sessionOf(
  { identity, clock }: Pick<UsersDeps, "identity" | "clock">,
  tokenHash: Uint8Array,
): Promise<GoodSession> {
  const session = await findGoodSession(identity, hexOf(tokenHash), wholeSecond(clock));
  if (!session) throw new PaylinkError("invalid_session", "The session has ended: sign in again.");
  return session;
}

/** Returns the audit entry of a change that the session's user makes. */
export function entryOf(
  audit: CallAudit | undefined,
  { userId, email, tenantId }: GoodSession,
  objectId: string,
): AuditRow | undefined {
  return audit?.entry({ user: { id: userId, email }, tenantId, objectId });
}
