import type { Mode } from "../platform/caller.ts";
import type { Change } from "../platform/change.ts";
import { inTurn } from "../platform/in-turn.ts";
import { PaylinkError } from "../platform/errors.ts";

/** The active keys that are counted: current ones, or those that were replaced and still work. */
type CountedKeys = "current" | "replaced";

/**
 * Undoes a creation or replacement above the quota, even with concurrent ones. Replaced keys are counted apart, so that a
 * tenant with all its keys can replace each. Error: quota_exceeded.
 */
export function requireRoom(
  counted: CountedKeys,
  { tenantId, mode }: { readonly tenantId: string; readonly mode: Mode },
  keysMax: number,
  now: Date,
): Change {
  return inTurn(`API keys of ${tenantId}${mode}`, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM api_key WHERE tenant_id = $1 AND mode = $2 AND revoked_at IS NULL
          AND coalesce(expires_at, 'infinity') > $3 AND (replaced_by IS NOT NULL) = $4`,
      [tenantId, mode, now, counted === "replaced"],
    );
    if ((rows[0]?.count ?? 0) <= keysMax) return;
    const which = counted === "current" ? "active API keys" : "replaced API keys that still work";
    const message = `A tenant has at most ${keysMax} ${which} in each mode: revoke one first.`;
    throw new PaylinkError("quota_exceeded", message);
  });
}
