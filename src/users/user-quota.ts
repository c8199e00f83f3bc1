import type { Change } from "../platform/write/change.ts";
import { withAdvisoryLock } from "../platform/write/advisory-lock.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";

/**
 * Undoes an invitation above the quota, even with concurrent ones. Members and open invitations are counted together, so
 * that each invitation can be accepted. Error: quota_exceeded.
 */
export function requireCapacity(tenantId: string, usersMax: number, now: Date): Change {
  return withAdvisoryLock(`users of ${tenantId}`, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `SELECT ((SELECT count(*) FROM membership WHERE tenant_id = $1)
          + (SELECT count(*) FROM invitation
            WHERE tenant_id = $1 AND user_id IS NULL AND ended_at IS NULL AND expires_at > $2))::int AS count`,
      [tenantId, now],
    );
    if ((rows[0]?.count ?? 0) <= usersMax) return;
    const message = `A tenant has at most ${usersMax} members and open invitations: remove or revoke one first.`;
    throw new PaylinkError("quota_exceeded", message);
  });
}
