import { join } from "node:path";

/** What is the same for every member. */
export interface Settings {
  /** Seconds after which a silent leader has lost its lock. */
  readonly ttl: number;
  /** Seconds between two looks at the cluster. */
  readonly loopWait: number;
  /** Seconds that etcd or PostgreSQL may fail without consequence. */
  readonly retryTimeout: number;
  readonly isSynchronous: boolean;
  /** The version of etcd's API by which Patroni keeps the lock. */
  readonly etcdApi: 2 | 3;
  /** Of every account of the cluster. */
  readonly password: string;
}

/** Where one member is. */
interface Place {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  readonly etcdPort: number;
  readonly folder: string;
  readonly dataDir: string;
  readonly postgresBin: string;
}

/** The configuration file of a member: JSON, which is YAML too. */
export function patroniConfig(place: Place, settings: Settings): string {
  const { name, port, restPort, etcdPort, folder, dataDir, postgresBin } = place;
  const { password } = settings;
  return JSON.stringify(
    {
      scope: "paylink",
      name,
      restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
      [settings.etcdApi === 2 ? "etcd" : "etcd3"]: { host: `127.0.0.1:${etcdPort}` },
      bootstrap: {
        dcs: clusterConfig(settings),
        initdb: [{ encoding: "UTF8" }, { locale: "C" }, "data-checksums"],
        pg_hba: [
          "host all all 127.0.0.1/32 scram-sha-256",
          "host replication replicator 127.0.0.1/32 scram-sha-256",
        ],
      },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${port}`,
        data_dir: dataDir,
        bin_dir: postgresBin,
        pgpass: join(folder, "pgpass"),
        authentication: {
          superuser: { username: "postgres", password },
          replication: { username: "replicator", password },
        },
        basebackup: [{ checkpoint: "fast" }],
        parameters: { unix_socket_directories: "", password_encryption: "scram-sha-256" },
      },
      watchdog: { mode: "off" },
    },
    null,
    2,
  );
}

/** What Patroni keeps in etcd for the whole cluster. */
function clusterConfig({ ttl, loopWait, retryTimeout, isSynchronous }: Settings): object {
  return {
    ttl,
    loop_wait: loopWait,
    retry_timeout: retryTimeout,
    synchronous_mode: isSynchronous,
    // With two members, strict would refuse every write from the failover until the dead one is back.
    synchronous_mode_strict: false,
    // Without synchronous mode a standby that is behind takes over too: the control is to lose something.
    ...(isSynchronous ? {} : { maximum_lag_on_failover: 2 ** 30 }),
    postgresql: {
      use_pg_rewind: true,
      use_slots: true,
      parameters: { max_connections: 100, synchronous_commit: "on", wal_keep_size: "512MB" },
    },
  };
}
