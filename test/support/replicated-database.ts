import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { migrate } from "../../src/migrations/migrate.ts";
import {
  launchPostgres,
  type EmbeddedPostgres,
} from "../../src/platform/db/embedded-postgres/launch-postgres.ts";
import { makeDataFolder } from "./data-folder.ts";

const DATABASE = "paylink";

/** A PostgreSQL with a migrated database, and another one that follows it by streaming replication. */
export class ReplicatedDatabase {
  readonly primary: EmbeddedPostgres;
  readonly replica: EmbeddedPostgres;
  readonly #remove: () => Promise<void>;

  private constructor(primary: EmbeddedPostgres, replica: EmbeddedPostgres, remove: () => Promise<void>) {
    this.primary = primary;
    this.replica = replica;
    this.#remove = remove;
  }

  static async start(): Promise<ReplicatedDatabase> {
    const { path, remove } = await makeDataFolder();
    const [one, other] = [join(path, "one"), join(path, "other")];
    const empty = await launchPostgres({ dataDir: one });
    await ask(empty.connectionString("postgres"), `CREATE DATABASE ${DATABASE}`);
    await migrate(empty.connectionString(DATABASE));
    await empty.stop();
    // With its owner: as root, PostgreSQL runs as another user.
    await mkdir(other, { mode: 0o711 });
    await promisify(execFile)("cp", ["-a", join(one, "cluster"), join(other, "cluster")]);
    await writeFile(join(other, "cluster", "standby.signal"), "");
    const primary = await launchPostgres({ dataDir: one });
    const { socketDir, port, user } = primary;
    const settings = { primary_conninfo: `host=${socketDir} port=${port} user=${user}` };
    const replica = await launchPostgres({ dataDir: other, settings });
    return new ReplicatedDatabase(primary, replica, remove);
  }

  get url(): string {
    return this.primary.connectionString(DATABASE);
  }

  get replicaUrl(): string {
    return this.replica.connectionString(DATABASE);
  }

  /** Stops or resumes that the replica shows what the primary writes. */
  async setReplay(isRunning: boolean): Promise<void> {
    await ask(this.replicaUrl, `SELECT pg_wal_replay_${isRunning ? "resume" : "pause"}()`);
  }

  async close(): Promise<void> {
    await this.replica.stop();
    await this.primary.stop();
    await this.#remove();
  }
}

async function ask(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
