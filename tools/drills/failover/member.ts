import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import pg from "pg";
import { freePorts } from "./ports.ts";
import type { Machine } from "./machine.ts";
import { patroniConfig, type Settings } from "./patroni-config.ts";
import { postmasterOf, signalAll, withDescendants } from "./process-tree.ts";
import type { Programs } from "./packages.ts";

const REST_TIMEOUT_MS = 500;

/** One PostgreSQL under its Patroni: the machine of a cluster. */
export class Member {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  readonly #machine: Machine;
  readonly #programs: Programs;
  readonly #configFile: string;
  readonly #dataDir: string;
  readonly #password: string;
  #patroni: ChildProcess | undefined;
  #frozen: number[] = [];

  private constructor(
    name: string,
    ports: { port: number; restPort: number },
    machine: Machine,
    programs: Programs,
    files: { configFile: string; dataDir: string; password: string },
  ) {
    this.name = name;
    this.port = ports.port;
    this.restPort = ports.restPort;
    this.#machine = machine;
    this.#programs = programs;
    this.#configFile = files.configFile;
    this.#dataDir = files.dataDir;
    this.#password = files.password;
  }

  static async create(
    name: string,
    etcdPort: number,
    settings: Settings,
    machine: Machine,
    programs: Programs,
  ): Promise<Member> {
    const [port = 0, restPort = 0] = await freePorts(2);
    const folder = await machine.makeFolder(name);
    const dataDir = join(folder, "data");
    machine.watchDataDir(dataDir);
    const { postgresBin } = programs;
    const config = patroniConfig({ name, port, restPort, etcdPort, folder, dataDir, postgresBin }, settings);
    const configFile = await machine.writeFile(`${name}.json`, config);
    const files = { configFile, dataDir, password: settings.password };
    return new Member(name, { port, restPort }, machine, programs, files);
  }

  start(): void {
    this.#patroni = this.#machine.start(`patroni-${this.name}`, this.#programs.patroni, [this.#configFile], {
      HOME: join(this.#dataDir, ".."),
    });
  }

  /** As when the machine loses its power. */
  async kill(): Promise<void> {
    const gone = this.#patroni && once(this.#patroni, "exit");
    signalAll(this.#pids(), "SIGKILL");
    await gone;
  }

  /** As when the machine hangs: its kernel still takes connections, and nothing answers on them. */
  freeze(): void {
    this.#frozen = this.#pids();
    signalAll(this.#frozen, "SIGSTOP");
  }

  /** PostgreSQL goes on first, which is the worse order: Patroni does not know yet that it lost the lock. */
  thaw(): void {
    const patroni = this.#patroni?.pid;
    signalAll(
      this.#frozen.toSorted((a, b) => Number(a === patroni) - Number(b === patroni)),
      "SIGCONT",
    );
    this.#frozen = [];
  }

  /** Whether a load balancer would send connections here: what Patroni answers to /primary. */
  async isPrimary(): Promise<boolean> {
    return (await this.#rest("/primary"))?.status === 200;
  }

  /** Whether it is the standby that each commit waits for. */
  async isSynchronousStandby(): Promise<boolean> {
    return (await this.#rest("/sync"))?.status === 200;
  }

  /** A connection past the load balancer, as the superuser. */
  client(database = "postgres"): pg.Client {
    const client = new pg.Client({
      host: "127.0.0.1",
      port: this.port,
      user: "postgres",
      password: this.#password,
      database,
    });
    client.on("error", () => undefined);
    return client;
  }

  /** Sends the signal to those backends of its PostgreSQL. */
  signalBackends(pids: readonly number[], signal: NodeJS.Signals): void {
    const own = new Set(this.#pids());
    signalAll(
      pids.filter((pid) => own.has(pid)),
      signal,
    );
  }

  #pids(): number[] {
    const postmaster = postmasterOf(this.#dataDir);
    const patroni = this.#patroni?.exitCode === null ? this.#patroni.pid : undefined;
    return withDescendants([patroni, postmaster].filter((pid) => pid !== undefined));
  }

  async #rest(path: string): Promise<Response | undefined> {
    const signal = AbortSignal.timeout(REST_TIMEOUT_MS);
    return await fetch(`http://127.0.0.1:${this.restPort}${path}`, { method: "OPTIONS", signal }).catch(
      () => undefined,
    );
  }
}
