import { checkoutEntities } from "./checkout/entities.ts";
import { closesEntities } from "./closes/entities.ts";
import { identityEntities, IdOwner } from "./identity/entities.ts";
import { ledgerEntities } from "./ledger/entities.ts";
import { linksEntities } from "./links/entities.ts";
import { mediaEntities } from "./media/entities.ts";
import type { Mode } from "./platform/caller.ts";
import { openEnvironment, POOL_MAX, type DatabaseOptions, type Environment } from "./platform/database.ts";
import { JobQueue } from "./platform/jobs.ts";
import { pricingEntities } from "./pricing/entities.ts";
import { providerAccountsEntities } from "./provider-accounts/entities.ts";
import { providersEntities } from "./providers/entities.ts";
import { userEntities } from "./users/entities.ts";
import { DELIVERY_QUEUE, type DeliveryJob } from "./webhooks/delivery.ts";
import { receivablesEntities } from "./receivables/entities.ts";
import { refundsEntities } from "./refunds/entities.ts";
import { webhooksEntities } from "./webhooks/entities.ts";

/** The three schemas of a core, and the queue of each mode. */
export interface Databases {
  readonly identity: Environment;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly queues: Readonly<Record<Mode, JobQueue<DeliveryJob>>>;
  close(): Promise<void>;
}

const DELIVERY_HEARTBEAT_SECONDS = 10;
const ENDPOINT_CONCURRENCY = 8;

const roomEntities = [
  ...pricingEntities,
  ...ledgerEntities,
  ...closesEntities,
  ...linksEntities,
  ...checkoutEntities,
  ...providersEntities,
  ...refundsEntities,
  ...receivablesEntities,
  ...providerAccountsEntities,
  ...webhooksEntities,
  ...mediaEntities,
  IdOwner,
];

/** Opens the core's databases and queues. A delivery that runs longer than `expireSeconds` counts as lost. */
export async function openDatabases(
  url: string,
  expireSeconds: number,
  onFault: (error: unknown) => void,
  settings: Pick<DatabaseOptions, "tracer" | "statementMs" | "commitBatch"> = {},
): Promise<Databases> {
  const common = { ...settings, url, poolMax: POOL_MAX };
  const [identity, live, test] = await Promise.all([
    openEnvironment({ ...common, schema: "identity", entities: [...identityEntities, ...userEntities] }),
    openEnvironment({ ...common, schema: "live", entities: roomEntities }),
    openEnvironment({ ...common, schema: "test", entities: roomEntities }),
  ]);
  const queueSettings = {
    name: DELIVERY_QUEUE,
    expireSeconds,
    heartbeatSeconds: DELIVERY_HEARTBEAT_SECONDS,
    groupConcurrency: ENDPOINT_CONCURRENCY,
  };
  const queues = {
    live: await JobQueue.open<DeliveryJob>(live.pool, "live", queueSettings, onFault),
    test: await JobQueue.open<DeliveryJob>(test.pool, "test", queueSettings, onFault),
  };
  return {
    identity,
    environments: { live, test },
    queues,
    close: async () => {
      await Promise.all([queues.live.close(), queues.test.close()]);
      await Promise.all([identity, live, test].map(({ orm }) => orm.close(true)));
    },
  };
}
