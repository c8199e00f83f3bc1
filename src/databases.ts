import { checkoutEntities } from "./checkout/entities.ts";
import { closesEntities } from "./closes/entities.ts";
import { identityEntities, IdOwner } from "./identity/entities.ts";
import { ledgerEntities } from "./ledger/entities.ts";
import { linksEntities } from "./links/entities.ts";
import { mediaEntities } from "./media/entities.ts";
import type { Mode } from "./platform/rpc/caller.ts";
import { openEnvironment, POOL_MAX, type DatabaseOptions, type Environment } from "./platform/db/database.ts";
import { repeat } from "./platform/work/repeating.ts";
import { Replica, type ReplicaSettings } from "./platform/db/replica.ts";
import { pricingEntities } from "./pricing/entities.ts";
import { providerAccountsEntities } from "./provider-accounts/entities.ts";
import { providersEntities } from "./providers/entities.ts";
import { userEntities } from "./users/entities.ts";
import { receivablesEntities } from "./receivables/entities.ts";
import { refundsEntities } from "./refunds/entities.ts";
import { webhooksEntities } from "./webhooks/entities.ts";

/** The three schemas of a core. */
export interface Databases {
  readonly identity: Environment;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly replica: Replica | undefined;
  close(): Promise<void>;
}

type DatabaseSettings = Pick<DatabaseOptions, "tracer" | "queryMs" | "commitBatch"> & {
  readonly replica?: ReplicaSettings | undefined;
};

const REPLICA_LOOK_MS = 1000;

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

export async function openDatabases(
  url: string,
  { replica: copy, ...settings }: DatabaseSettings = {},
): Promise<Databases> {
  const common = { ...settings, url, poolMax: POOL_MAX };
  const [identity, live, test] = await Promise.all([
    openEnvironment({ ...common, schema: "identity", entities: [...identityEntities, ...userEntities] }),
    openEnvironment({ ...common, schema: "live", entities: roomEntities }),
    openEnvironment({ ...common, schema: "test", entities: roomEntities }),
  ]);
  const replica = copy && (await followReplica(copy, common, { live, test }));
  return {
    identity,
    environments: { live, test },
    replica: replica?.replica,
    close: async () => {
      await replica?.close();
      await Promise.all([identity, live, test].map(({ orm }) => orm.close(true)));
    },
  };
}

/** Opens a replica, and looks every second how far it is behind. */
async function followReplica(
  { url, lagMsMax }: ReplicaSettings,
  common: Omit<DatabaseOptions, "schema" | "entities">,
  primary: Readonly<Record<Mode, Environment>>,
): Promise<{ replica: Replica; close: () => Promise<void> }> {
  const open = async (mode: Mode): Promise<Environment> => ({
    ...(await openEnvironment({ ...common, url, schema: mode, entities: roomEntities, isReplica: true })),
    committer: primary[mode].committer,
  });
  const environments = { live: await open("live"), test: await open("test") };
  const replica = new Replica({ primary: primary.live.pool, environments, lagMsMax });
  const looking = repeat(
    REPLICA_LOOK_MS,
    async () => await replica.look(),
    () => undefined,
  );
  const close = async (): Promise<void> => {
    await looking.stop();
    await Promise.all(Object.values(environments).map(({ orm }) => orm.close(true)));
  };
  return { replica, close };
}
