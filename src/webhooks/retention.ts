import type pg from "pg";
import { secondsAfter, type Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { removeByTenant } from "../platform/work/retention.ts";
import type { AttemptRow } from "./entities.ts";

/**
 * The number of a delivery's attempts that are stored, the newest. Each holds up to 4 KiB of its receiver's answer, and a
 * delivery can be sent again without end.
 */
export const ATTEMPTS_KEPT = 100;

/** The time for which attempts are stored, in seconds. */
const ATTEMPTS_KEPT_SECONDS = 30 * 24 * 60 * 60;

/** Removes old attempts; events and deliveries stay. Returns the number of removed attempts. */
export async function removeOldAttempts({ pool }: Environment, clock: Clock): Promise<number> {
  const before = secondsAfter(new Date(clock.nowMs()), -ATTEMPTS_KEPT_SECONDS);
  return await removeByTenant(pool, "webhook_attempt", ["delivery_id", "number"], "started_at", before);
}

/** Removes the attempts of a delivery that are too many once the one with this number is stored. */
export async function removeSurplusAttempts(
  client: pg.PoolClient,
  { tenantId, deliveryId, number }: Pick<AttemptRow, "tenantId" | "deliveryId" | "number">,
): Promise<void> {
  if (number <= ATTEMPTS_KEPT) return;
  await client.query({
    name: "remove surplus attempts",
    text: "DELETE FROM webhook_attempt WHERE tenant_id = $1 AND delivery_id = $2 AND number <= $3",
    values: [tenantId, deliveryId, number - ATTEMPTS_KEPT],
  });
}
