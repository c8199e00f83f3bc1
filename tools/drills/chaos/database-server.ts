import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import {
  launchPostgres,
  type EmbeddedPostgres,
} from "../../../src/platform/db/embedded-postgres/launch-postgres.ts";

export const DATABASE = "paylink";

const READY_MS = 30_000;

/** The PostgreSQL under the service, which can be killed, frozen and started again. */
export class DatabaseServer {
  readonly #dataDir: string;
  readonly #settings: Readonly<Record<string, string>>;
  #postgres: EmbeddedPostgres | undefined;
  #hasEnded = false;

  constructor(dataDir: string, settings: Readonly<Record<string, string>> = {}) {
    this.#dataDir = dataDir;
    this.#settings = settings;
  }

  /** Starts it, and makes the database the first time. With `isDurable` false a commit does not wait for the disk. */
  async create(isDurable: boolean): Promise<void> {
    await this.start();
    const client = await this.connect("postgres");
    await client.query(`CREATE DATABASE ${DATABASE}`);
    if (!isDurable) await client.query("ALTER ROLE CURRENT_USER SET synchronous_commit = off");
    await client.end();
  }

  async start(): Promise<void> {
    const postgres = await launchPostgres({
      dataDir: this.#dataDir,
      settings: this.#settings,
      restartsMax: 0,
    });
    this.#postgres = postgres;
    this.#hasEnded = false;
    postgres.onExit(() => (this.#hasEnded = this.#postgres === postgres));
  }

  async restartIfEnded(): Promise<void> {
    if (this.#hasEnded) await this.start();
  }

  /** The path of the socket that it listens on now. */
  get socket(): string {
    const { socketDir, port } = this.#running;
    return join(socketDir, `.s.PGSQL.${port}`);
  }

  get user(): string {
    return this.#running.user;
  }

  /** How a process on this machine connects past the proxy. */
  url(database = DATABASE): string {
    return this.#running.connectionString(database);
  }

  /** A connection past the proxy. */
  async connect(database = DATABASE): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url(database) });
    client.on("error", () => undefined);
    await client.connect();
    return client;
  }

  async query(...texts: readonly string[]): Promise<void> {
    const client = await this.connect();
    for (const text of texts) await client.query(text);
    await client.end();
  }

  /** Takes every connection that is left. Returns what gives them back. */
  async useConnections(): Promise<() => Promise<void>> {
    const clients: pg.Client[] = [];
    for (;;) {
      const client = await this.connect().catch(() => undefined);
      if (!client) return async () => void (await Promise.all(clients.map((one) => one.end())));
      clients.push(client);
    }
  }

  /** Kills the postmaster and all its children at once, as a power cut does to them. */
  async kill(): Promise<void> {
    const pids = [...(await this.#children()), await this.#postmaster()];
    for (const pid of pids) signal(pid, "SIGKILL");
  }

  /** Kills the process of one connection; the postmaster then starts all others afresh. */
  async killBackend(): Promise<void> {
    const client = await this.connect();
    const { rows } = await client.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid() LIMIT 1",
      [DATABASE],
    );
    for (const { pid } of rows) signal(pid, "SIGKILL");
    await client.end().catch(() => undefined);
  }

  async freeze(): Promise<void> {
    for (const pid of [await this.#postmaster(), ...(await this.#children())]) signal(pid, "SIGSTOP");
  }

  async thaw(): Promise<void> {
    for (const pid of [...(await this.#children()), await this.#postmaster()]) signal(pid, "SIGCONT");
  }

  /** Waits until it takes connections. Throws when it does not in 30 s. */
  async untilReady(): Promise<void> {
    const deadline = performance.now() + READY_MS;
    for (;;) {
      await this.restartIfEnded();
      const client = await this.connect().catch((error: unknown) => {
        if (performance.now() > deadline) throw error;
        return undefined;
      });
      if (client) return await client.end();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop(): Promise<void> {
    await this.#postgres?.stop();
  }

  get #running(): EmbeddedPostgres {
    if (!this.#postgres) throw new Error("the database was not started");
    return this.#postgres;
  }

  async #postmaster(): Promise<number> {
    return Number.parseInt(await readFile(join(this.#dataDir, "cluster", "postmaster.pid"), "utf8"), 10);
  }

  async #children(): Promise<number[]> {
    const postmaster = await this.#postmaster();
    const processes = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
    const parents = await Promise.all(
      processes.map(async (pid) => [Number(pid), await parentOf(pid)] as const),
    );
    return parents.filter(([, parent]) => parent === postmaster).map(([pid]) => pid);
  }
}

async function parentOf(pid: string): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It ended by itself meanwhile.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
