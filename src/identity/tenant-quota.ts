import type { Change } from "../platform/write/change.ts";
import { withAdvisoryLock } from "../platform/write/advisory-lock.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";

/** Each change of the tenant's settings has all of them read again, for its next payment. */
const ENTITIES_MAX = 200;
/** A token that is bound to a tenant may make more, and the operator's list has all of them. */
const TOKENS_MAX = 100;

/** Undoes the creation of a legal entity above the quota, even with concurrent ones. Error: quota_exceeded. */
export function requireEntityCapacity(tenantId: string): Change {
  const message = `A tenant has at most ${ENTITIES_MAX} active legal entities: deactivate one first.`;
  return requireAtMost(ENTITIES_MAX, "legal_entity", "is_active", tenantId, message);
}

/** Undoes the creation of a tenant's core token above the quota, even with concurrent ones. Error: quota_exceeded. */
export function requireTokenCapacity(tenantId: string): Change {
  const message = `A tenant has at most ${TOKENS_MAX} core tokens that are bound to it: revoke one first.`;
  return requireAtMost(TOKENS_MAX, "core_token", "revoked_at IS NULL", tenantId, message);
}

function requireAtMost(
  most: number,
  table: string,
  condition: string,
  tenantId: string,
  message: string,
): Change {
  return withAdvisoryLock(`${table} of ${tenantId}`, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${table} WHERE tenant_id = $1 AND ${condition}`,
      [tenantId],
    );
    if ((rows[0]?.count ?? 0) > most) throw new PaylinkError("quota_exceeded", message);
  });
}
