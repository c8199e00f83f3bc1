import { secondsAfter } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { Tenant } from "../identity/entities.ts";
import { Session, type RoleName, type SessionRow } from "./entities.ts";

/** An unused session ends after this time. */
export const IDLE_SECONDS = 60 * 60;
/** Every session ends after this time, even if it is in use. */
export const LIFE_SECONDS = 12 * 60 * 60;

/** A valid session, with its user and their membership in its tenant. Times are Unix seconds. */
export interface GoodSession {
  readonly tokenHash: string;
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly tenantId: string;
  readonly tenantName: string;
  readonly role: RoleName;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly expiresAt: number;
}

/**
 * Returns the session with this hex SHA-256 of a token, or undefined if it is unknown, expired or without a membership.
 */
export async function findGoodSession(
  { pool }: Environment,
  tokenHash: string,
  now: Date,
): Promise<GoodSession | undefined> {
  const { rows } = await pool.query<GoodSession>({
    name: "good session",
    text: `SELECT s.token_hash AS "tokenHash", s.id, u.id AS "userId", u.email, u.name,
        t.id AS "tenantId", t.name AS "tenantName", m.role,
        floor(extract(epoch from s.created_at))::int4 AS "createdAt",
        floor(extract(epoch from s.last_seen_at))::int4 AS "lastSeenAt",
        floor(extract(epoch from s.expires_at))::int4 AS "expiresAt"
      FROM session s
      JOIN "user" u ON u.id = s.user_id
      JOIN membership m ON m.tenant_id = s.tenant_id AND m.user_id = s.user_id
      JOIN tenant t ON t.id = s.tenant_id
      WHERE s.token_hash = $1 AND s.expires_at > $2 AND s.last_seen_at > $3`,
    values: [tokenHash, now, secondsAfter(now, -IDLE_SECONDS)],
  });
  return rows[0];
}

/** Records the use of a session, in a query of its own. Of concurrent calls, the latest time stays. */
export async function touchSession({ pool }: Environment, tokenHash: string, now: Date): Promise<void> {
  await pool.query({
    name: "touch session",
    text: "UPDATE session SET last_seen_at = $2 WHERE token_hash = $1 AND last_seen_at < $2",
    values: [tokenHash, now],
  });
}

/** Returns a user's valid sessions, latest first, with the names of their tenants. */
export async function listGoodSessions(
  { orm }: Environment,
  userId: string,
  now: Date,
): Promise<(SessionRow & { readonly tenantName: string })[]> {
  const em = orm.em.fork();
  const sessions = await em.find(
    Session,
    { userId, expiresAt: { $gt: now }, lastSeenAt: { $gt: secondsAfter(now, -IDLE_SECONDS) } },
    { orderBy: { createdAt: "desc", id: "desc" } },
  );
  const tenants = await em.find(Tenant, { id: { $in: sessions.map(({ tenantId }) => tenantId) } });
  const names = new Map(tenants.map(({ id, name }) => [id, name]));
  return sessions.map((session) => Object.assign(session, { tenantName: names.get(session.tenantId) ?? "" }));
}
