import type { Mode } from "../rpc/caller.ts";
import { repeat } from "../work/repeating.ts";
import { openEnvironment, POOL_MAX, type DatabaseOptions, type Environment } from "./database.ts";
import { Replica, type ReplicaSettings } from "./replica.ts";

/** The three schemas of a core. */
export interface Databases {
  readonly identity: Environment;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly replica: Replica | undefined;
  close(): Promise<void>;
}

type Entities = DatabaseOptions["entities"];

/** What is stored in `identity`, and in the schema of each mode. */
export interface SchemaEntities {
  readonly identity: Entities;
  readonly mode: Entities;
}

type DatabaseSettings = Pick<DatabaseOptions, "tracer" | "queryMs" | "commitBatch"> & {
  readonly replica?: ReplicaSettings | undefined;
};

const REPLICA_LOOK_MS = 1000;

export async function openDatabases(
  url: string,
  entities: SchemaEntities,
  { replica: copy, ...settings }: DatabaseSettings = {},
): Promise<Databases> {
  const common = { ...settings, url, poolMax: POOL_MAX };
  const [identity, live, test] = await Promise.all([
    openEnvironment({ ...common, schema: "identity", entities: entities.identity }),
    openEnvironment({ ...common, schema: "live", entities: entities.mode }),
    openEnvironment({ ...common, schema: "test", entities: entities.mode }),
  ]);
  const replica = copy && (await followReplica(copy, { ...common, entities: entities.mode }, { live, test }));
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
  common: Omit<DatabaseOptions, "schema">,
  primary: Readonly<Record<Mode, Environment>>,
): Promise<{ replica: Replica; close: () => Promise<void> }> {
  const open = async (mode: Mode): Promise<Environment> => ({
    ...(await openEnvironment({ ...common, url, schema: mode, isReplica: true })),
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
