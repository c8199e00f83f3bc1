import { secondsAfter, type Clock } from "../platform/clock.ts";
import type { Environment } from "../platform/database.ts";
import { removeByTenant } from "../platform/retention.ts";

/** The time for which attempts are stored, in seconds. */
const ATTEMPTS_KEPT_SECONDS = 30 * 24 * 60 * 60;

/** Removes old attempts; events and deliveries stay. Returns the number of removed attempts. */
export async function removeOldAttempts({ pool }: Environment, clock: Clock): Promise<number> {
  const before = secondsAfter(new Date(clock.nowMs()), -ATTEMPTS_KEPT_SECONDS);
  return await removeByTenant(pool, "webhook_attempt", ["delivery_id", "number"], "started_at", before);
}
