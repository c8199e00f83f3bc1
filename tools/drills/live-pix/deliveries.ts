import { openDatabases } from "../../../src/platform/db/databases.ts";
import { ENTITIES } from "../../../src/rooms.ts";
import type { Clock } from "../../../src/platform/time/clock.ts";
import { Encryption } from "../../../src/platform/db/encryption.ts";
import { repeat } from "../../../src/platform/work/repeating.ts";
import { deliveryWork } from "../../../src/webhooks/delivery-work.ts";
import { nameLookup } from "../../../src/webhooks/name-lookup.ts";
import { Sender } from "../../../src/webhooks/sender.ts";
import { DATA_KEY } from "../../../test/support/core-options.ts";

const LEASE_SECONDS = 40;
const TIMEOUT_MS = 15_000;
const PAUSE_MS = 250;
const SCHEDULE = [0, ...Array.from({ length: 39 }, () => 0.2)];

/** The service's deliveries of live mode to a merchant on this machine: only that is not as in live mode. */
export async function startDeliveries(
  databaseUrl: string,
  clock: Clock,
  onFault: (error: unknown) => void,
): Promise<{ stop(): Promise<void> }> {
  const databases = await openDatabases(databaseUrl, ENTITIES);
  const encryption = await Encryption.forDatabase(databases.identity.pool, DATA_KEY);
  const sender = new Sender({
    policy: { isLoopbackAllowed: true },
    lookup: nameLookup(),
    timeoutMs: TIMEOUT_MS,
  });
  const environment = databases.environments.live;
  const settings = { clock, schedule: SCHEDULE, leaseSeconds: LEASE_SECONDS };
  const work = deliveryWork({ environment, sender, encryption, ...settings }, onFault);
  const rounds = repeat(PAUSE_MS, async () => await work.round(), onFault);
  return {
    stop: async () => {
      await Promise.all([work.stop(), rounds.stop()]);
      await databases.close();
    },
  };
}
