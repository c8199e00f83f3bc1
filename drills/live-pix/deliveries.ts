import { openDatabases } from "../../src/databases.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { Encryption } from "../../src/platform/encryption.ts";
import { DeliveryWorker } from "../../src/webhooks/delivery-worker.ts";
import { deliver } from "../../src/webhooks/delivery.ts";
import { nameLookup } from "../../src/webhooks/name-lookup.ts";
import { Sender } from "../../src/webhooks/sender.ts";
import { DATA_KEY } from "../../test/support/core-options.ts";

const EXPIRE_SECONDS = 40;
const TIMEOUT_MS = 15_000;
const SCHEDULE = [0, ...Array.from({ length: 39 }, () => 0.2)];

/** The service's deliveries of live mode, in real time, to a merchant on this machine: only that is not as in live mode. */
export async function startDeliveries(
  databaseUrl: string,
  onFault: (error: unknown) => void,
): Promise<{ stop(): Promise<void> }> {
  const databases = await openDatabases(databaseUrl, EXPIRE_SECONDS, onFault);
  const encryption = await Encryption.forDatabase(databases.identity.pool, DATA_KEY);
  const sender = new Sender({
    policy: { isLoopbackAllowed: true },
    lookup: nameLookup(),
    timeoutMs: TIMEOUT_MS,
  });
  const queue = databases.queues.live;
  const environment = databases.environments.live;
  const deps = { environment, queue, sender, encryption, clock: systemClock, schedule: SCHEDULE };
  const worker = new DeliveryWorker(queue, async (job) => await deliver(job, deps), onFault);
  return {
    stop: async () => {
      await worker.stop();
      await databases.close();
    },
  };
}
