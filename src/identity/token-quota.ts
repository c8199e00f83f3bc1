import type { Change } from "../platform/change.ts";
import { inTurn } from "../platform/in-turn.ts";
import { PaylinkError } from "../platform/errors.ts";

/** A token that is bound to a tenant may make more, and the operator's list has all of them. */
const TOKENS_MAX = 100;

/** Undoes the creation of a tenant's core token above the quota, even with concurrent ones. Error: quota_exceeded. */
export function requireTokenRoom(tenantId: string): Change {
  return inTurn(`core tokens of ${tenantId}`, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM core_token WHERE tenant_id = $1 AND revoked_at IS NULL`,
      [tenantId],
    );
    if ((rows[0]?.count ?? 0) <= TOKENS_MAX) return;
    const message = `A tenant has at most ${TOKENS_MAX} core tokens that are bound to it: revoke one first.`;
    throw new PaylinkError("quota_exceeded", message);
  });
}
