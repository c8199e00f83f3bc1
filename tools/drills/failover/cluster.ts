import { join } from "node:path";
import pg from "pg";
import { haproxyConfig } from "./haproxy-config.ts";
import type { Machine } from "./machine.ts";
import { Member } from "./member.ts";
import type { Programs } from "./packages.ts";
import type { Settings } from "./patroni-config.ts";
import { freePorts } from "./ports.ts";
import { until } from "./waiting.ts";

const START_TIMEOUT_MS = 60_000;
const HEALTHY_TIMEOUT_MS = 120_000;
const DATABASE = "paylink";

/** A primary and its standby under Patroni, with etcd, behind HAProxy. */
export class Cluster {
  readonly members: readonly Member[];
  readonly #settings: Settings;
  readonly #port: number;

  private constructor(members: readonly Member[], settings: Settings, port: number) {
    this.members = members;
    this.#settings = settings;
    this.#port = port;
  }

  /** Starts everything and makes the service's database. */
  static async start(machine: Machine, programs: Programs, settings: Settings): Promise<Cluster> {
    const etcdPort = await startEtcd(machine, programs, settings);
    const members: Member[] = [];
    for (const name of ["a", "b"])
      members.push(await Member.create(name, etcdPort, settings, machine, programs));
    const [port = 0] = await freePorts(1);
    const cluster = new Cluster(members, settings, port);
    for (const member of members) member.start();
    const config = await machine.writeFile("haproxy.cfg", haproxyConfig(port, members));
    machine.start("haproxy", programs.haproxy, ["-db", "-f", config]);
    await cluster.untilHealthy();
    await cluster.#makeDatabase();
    await until("HAProxy", START_TIMEOUT_MS, async () => await cluster.query("SELECT"));
    return cluster;
  }

  /** The database as the service reaches it: by the load balancer. */
  get databaseUrl(): string {
    return `postgres://paylink:${this.#settings.password}@127.0.0.1:${this.#port}/${DATABASE}`;
  }

  /** Runs one statement the way the service does. */
  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.databaseUrl, connectionTimeoutMillis: 5000 });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return (await client.query<Row>(text, [...values])).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** The one member that Patroni calls the primary; or undefined. */
  async primary(): Promise<Member | undefined> {
    const areThey = await Promise.all(this.members.map((member) => member.isPrimary()));
    return this.members.find((_, index) => areThey[index]);
  }

  other(member: Member): Member {
    const other = this.members.find((candidate) => candidate !== member);
    if (!other) throw new Error("A cluster has two members.");
    return other;
  }

  /** Waits until there is a primary that its standby follows, in synchronous mode for each commit; answers the primary. */
  async untilHealthy(): Promise<Member> {
    return await until("a primary with its standby", HEALTHY_TIMEOUT_MS, async () => {
      const primary = await this.primary();
      if (!primary) return undefined;
      const { isSynchronous } = this.#settings;
      if (isSynchronous && !(await this.other(primary).isSynchronousStandby())) return undefined;
      return (await this.#isFollowed(primary)) ? primary : undefined;
    });
  }

  async #isFollowed(primary: Member): Promise<boolean> {
    const client = primary.client();
    try {
      await client.connect();
      const { rows } = await client.query<{ sync_state: string }>(
        "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'",
      );
      return rows.some(({ sync_state: state }) => !this.#settings.isSynchronous || state === "sync");
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async #makeDatabase(): Promise<void> {
    const client = (await this.untilHealthy()).client();
    await client.connect();
    await client.query(`CREATE ROLE paylink LOGIN PASSWORD ${pg.escapeLiteral(this.#settings.password)}`);
    await client.query(`CREATE DATABASE ${DATABASE} OWNER paylink`);
    await client.query("CREATE TABLE written_by_old_primary (at timestamptz)");
    await client.end();
  }
}

async function startEtcd(machine: Machine, programs: Programs, settings: Settings): Promise<number> {
  const [port = 0, peerPort = 0] = await freePorts(2);
  const address = `http://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  const folder = join(await machine.makeFolder("etcd"), "data");
  const options = {
    name: "etcd",
    "data-dir": folder,
    "listen-client-urls": address,
    "advertise-client-urls": address,
    "listen-peer-urls": peer,
    "initial-advertise-peer-urls": peer,
    "initial-cluster": `etcd=${peer}`,
    // Later versions of etcd know the option no more.
    ...(settings.etcdApi === 2 ? { "enable-v2": "true" } : {}),
  };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  // etcd 3.4 starts on ARM only when asked so.
  machine.start("etcd", programs.etcd, args, { ETCD_UNSUPPORTED_ARCH: process.arch });
  await until("etcd", START_TIMEOUT_MS, async () => (await fetch(`${address}/health`)).ok);
  return port;
}
