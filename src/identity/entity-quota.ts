import type { Change } from "../platform/change.ts";
import { inTurn } from "../platform/in-turn.ts";
import { PaylinkError } from "../platform/errors.ts";

/** Each change of the tenant's settings has all of them read again, for its next payment. */
const ENTITIES_MAX = 200;

/** Undoes the creation of a legal entity above the quota, even with concurrent ones. Error: quota_exceeded. */
export function requireRoom(tenantId: string): Change {
  return inTurn(`legal entities of ${tenantId}`, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM legal_entity WHERE tenant_id = $1 AND is_active",
      [tenantId],
    );
    if ((rows[0]?.count ?? 0) <= ENTITIES_MAX) return;
    const message = `A tenant has at most ${ENTITIES_MAX} active legal entities: deactivate one first.`;
    throw new PaylinkError("quota_exceeded", message);
  });
}
