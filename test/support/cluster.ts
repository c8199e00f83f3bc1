import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { migrate } from "../../src/migrations/migrate.ts";
import { launchPostgres } from "../../src/platform/db/embedded-postgres/launch-postgres.ts";
import { DATABASE, TEMPLATE } from "./database.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Connection string of the cluster, with DATABASE in place of the database's name. */
    cluster: string;
  }
}

const SETTINGS = {
  max_connections: "400",
  // It would look after a hundred databases that are no longer used.
  autovacuum: "off",
  max_wal_size: "8GB",
  checkpoint_timeout: "1h",
};

/** Starts one PostgreSQL for the whole run, with a migrated template that each test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "paylink-test-"));
  const postgres = await launchPostgres({ dataDir: folder, settings: SETTINGS });
  const client = new pg.Client({ connectionString: postgres.connectionString("postgres") });
  await client.connect();
  await client.query(`CREATE DATABASE ${TEMPLATE}`);
  // No test takes the power from this server, so its commits need not wait for the disk.
  await client.query("ALTER ROLE CURRENT_USER SET synchronous_commit = off");
  await client.end();
  await migrate(postgres.connectionString(TEMPLATE));
  project.provide("cluster", postgres.connectionString(DATABASE));
  return async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
