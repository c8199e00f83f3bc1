import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePorts } from "../../../test/support/process.ts";
import { DATABASE, DatabaseServer } from "./database-server.ts";
import { makeDataDisk, type DataDisk } from "./full-disk.ts";
import { ServicePart } from "./part.ts";
import { DatabaseProxy } from "./proxy.ts";

const HOST = "127.0.0.1";
const CLOCK = join(import.meta.dirname, "shifted-clock.ts");

export interface TopologyOptions {
  readonly dataDir: string;
  /** False: a commit does not wait for the disk. Only the control run does that. */
  readonly isDurable: boolean;
  /** A checkout of the former release, able to run. */
  readonly former?: string | undefined;
  /** True: all parts begin as the former release. */
  readonly beginsAsFormer?: boolean;
  readonly databaseSettings?: Readonly<Record<string, string>>;
}

/** One gateway, two cores and a worker apart, with a network that can fail between them and their database. */
export interface Topology {
  readonly database: DatabaseServer;
  readonly dataDisk: DataDisk;
  /** A checkout of the former release, able to run, or undefined. */
  readonly former: string | undefined;
  readonly proxy: DatabaseProxy;
  readonly cores: readonly ServicePart[];
  readonly worker: ServicePart;
  readonly gateway: ServicePart;
  readonly parts: readonly ServicePart[];
  readonly baseUrl: string;
  /** The demo's tenants. */
  readonly tenants: readonly string[];
  /** Their API keys of test mode. */
  readonly keys: readonly string[];
  /** What the command line needs to reach the first core. */
  readonly commandEnv: Readonly<Record<string, string>>;
  /** Moves the clock of all parts away from the machine's. */
  shiftClock(milliseconds: number): Promise<void>;
  /** Waits until every part is ready, and starts again those that ended. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

export async function startTopology(options: TopologyOptions): Promise<Topology> {
  const { dataDir, isDurable, former, beginsAsFormer = false, databaseSettings } = options;
  const dataDisk = await makeDataDisk(join(dataDir, "disk"));
  const database = new DatabaseServer(join(dataDisk.path, "postgres"), {
    max_wal_size: "128MB",
    ...databaseSettings,
  });
  await database.create(isDurable);
  const proxy = new DatabaseProxy(() => database.socket);
  const proxyPort = await proxy.listen();
  const clockFile = join(dataDir, "clock");
  await writeFile(clockFile, "0");
  const ports = await freePorts(11);
  const port = (): string => String(ports.pop());
  const [gatewayPort, firstCore, secondCore, firstCorePort] = [port(), port(), port(), port()];
  const common = {
    DATABASE_URL: `postgresql://${database.user}@${HOST}:${proxyPort}/${DATABASE}`,
    CORE_TOKEN: randomBytes(24).toString("base64url"),
    DATA_KEY: randomBytes(32).toString("base64"),
    PUBLIC_URL: `http://${HOST}:${gatewayPort}`,
    WEBHOOK_ALLOW_LOOPBACK: "true",
    CORE_HTTP_URL: [firstCore, secondCore].map((core) => `http://${HOST}:${core}`).join(","),
    LOG_LEVEL: "error",
    PAYLINK_SEED: "demo",
    NODE_OPTIONS: `--import ${CLOCK}`,
    CHAOS_CLOCK_FILE: clockFile,
  };
  const part = async (name: string, role: string, own: Record<string, string>): Promise<ServicePart> => {
    const folder = join(dataDir, name);
    await mkdir(folder, { recursive: true });
    const made = new ServicePart(name, role, { ...common, DATA_DIR: folder, METRICS_PORT: port(), ...own });
    made.start(beginsAsFormer ? former : undefined);
    await made.untilReady();
    return made;
  };
  const first = await part("core-1", "core", { CORE_PORT: firstCorePort, CORE_HTTP_PORT: firstCore });
  const seeded = await readFile(join(dataDir, "core-1", "demo-keys.json"), "utf8");
  const demo = JSON.parse(seeded) as { id: string; test_key: string }[];
  const unseeded = { PAYLINK_SEED: "none" };
  const second = await part("core-2", "core", { ...unseeded, CORE_PORT: port(), CORE_HTTP_PORT: secondCore });
  const cores = [first, second];
  const worker = await part("worker", "worker", unseeded);
  const gateway = await part("gateway", "gateway", { ...unseeded, PORT: gatewayPort });
  const parts = [...cores, worker, gateway];
  return {
    database,
    dataDisk,
    former,
    proxy,
    cores,
    worker,
    gateway,
    parts,
    baseUrl: common.PUBLIC_URL,
    tenants: demo.map(({ id }) => id),
    keys: demo.map(({ test_key }) => test_key),
    commandEnv: { CORE_TOKEN: common.CORE_TOKEN, CORE_PORT: firstCorePort },
    shiftClock: async (milliseconds) => {
      await writeFile(clockFile, String(milliseconds));
      for (const one of parts) one.signal("SIGUSR2");
    },
    heal: async () => {
      proxy.set("pass");
      await database.untilReady();
      await Promise.all(parts.map((one) => one.untilReady()));
    },
    close: async () => {
      await Promise.all(parts.map((one) => one.end("SIGKILL")));
      await proxy.close();
      await database.stop();
      await dataDisk.remove();
    },
  };
}
