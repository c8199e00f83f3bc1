import type { Change } from "../platform/write/change.ts";
import { withAdvisoryLock } from "../platform/write/advisory-lock.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import type { ApiKeyRow } from "./entities.ts";

/** Of all counted keys together: each list of the tenant's keys has them. */
const ADDRESSES_MAX = 500;

/** The active keys that are counted: current ones, or those that were replaced and still work. */
type CountedKeys = "current" | "replaced";

/**
 * Undoes a creation or replacement above the quota, even with concurrent ones. Replaced keys are counted apart, so that a
 * tenant with all its keys can replace each. Error: quota_exceeded.
 */
export function requireCapacity(
  counted: CountedKeys,
  { tenantId, mode, addresses }: Pick<ApiKeyRow, "tenantId" | "mode" | "addresses">,
  keysMax: number,
  now: Date,
): Change {
  return withAdvisoryLock(`API keys of ${tenantId}${mode}`, async (client) => {
    const { rows } = await client.query<{ count: number; addresses: number }>(
      `SELECT count(*)::int AS count, coalesce(sum(cardinality(addresses)), 0)::int AS addresses
        FROM api_key WHERE tenant_id = $1 AND mode = $2 AND revoked_at IS NULL
          AND coalesce(expires_at, 'infinity') > $3 AND (replaced_by IS NOT NULL) = $4`,
      [tenantId, mode, now, counted === "replaced"],
    );
    const found = rows[0] ?? { count: 0, addresses: 0 };
    const which = counted === "current" ? "active API keys" : "replaced API keys that still work";
    if (found.count > keysMax) {
      const message = `A tenant has at most ${keysMax} ${which} in each mode: revoke one first.`;
      throw new PaylinkError("quota_exceeded", message);
    }
    if (addresses.length === 0 || found.addresses <= ADDRESSES_MAX) return;
    const most = `A tenant's ${which} are for at most ${ADDRESSES_MAX} addresses together in each mode`;
    throw new PaylinkError("quota_exceeded", `${most}: name networks, or revoke one first.`);
  });
}
