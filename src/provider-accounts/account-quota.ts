import { within, type Change } from "../platform/write/change.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";

/**
 * Undoes a new account above the quota. A tenant has one active account, so two new ones do not meet. A retired one counts
 * as long as its statements are read. Error: quota_exceeded.
 */
export function requireCapacity(tenantId: string, accountsMax: number): Change {
  return within(async (client) => {
    const { rows } = await client.query<{ count: number }>(
      "SELECT count(DISTINCT account_id)::int AS count FROM provider_sweep WHERE tenant_id = $1",
      [tenantId],
    );
    if ((rows[0]?.count ?? 0) <= accountsMax) return;
    const message = `A tenant has at most ${accountsMax} accounts, with retired ones whose statements are still read: rotate one.`;
    throw new PaylinkError("quota_exceeded", message);
  });
}
