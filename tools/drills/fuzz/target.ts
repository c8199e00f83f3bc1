import { rmSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { migrate } from "../../../src/migrations/migrate.ts";
import { launchPostgres } from "../../../src/platform/db/embedded-postgres/launch-postgres.ts";
import { DatabaseRows } from "../../../test/support/database-rows.ts";
import { openCorePorts, type CorePorts } from "../../../test/support/core-server.ts";
import { startServiceOn, type TestService } from "../../../test/support/service.ts";

const CLEAR_RETRIES = 10;
const TEMPLATE = "fuzz_template";

/** The service under test, with every listener that a case may come through. */
export interface Target {
  readonly service: TestService;
  readonly baseUrl: string;
  readonly gatewayPort: number;
  readonly core: CorePorts;
  readonly rows: DatabaseRows;
  close(): Promise<void>;
}

// How many commits share a statement: as many as in service, two, one.
const BATCHES = [undefined, 2, 1] as const;

/**
 * Starts the whole service on a migrated database: gateway and core each behind a socket, and a stopped clock. The seed
 * says how many commits share a statement.
 */
export async function startTarget(databaseUrl: string, seed = 0): Promise<Target> {
  const commitBatch = BATCHES[seed % BATCHES.length];
  const service = await startServiceOn(
    databaseUrl,
    "network",
    commitBatch === undefined ? {} : { commitBatch },
  );
  service.clock.stop();
  const baseUrl = await service.gateway.listen({ host: "127.0.0.1", port: 0 });
  const core = await openCorePorts(service.core);
  const rows = await new DatabaseRows(databaseUrl).open();
  return {
    service,
    baseUrl,
    gatewayPort: (service.gateway.server.address() as AddressInfo).port,
    core,
    rows,
    close: async () => {
      await rows.close();
      await core.close();
      await service.close();
    },
  };
}

/** Gives a maker of migrated databases on a PostgreSQL of its own, and removes all. */
export async function withDatabases<Result>(
  run: (newDatabase: () => Promise<string>) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "paylink-fuzz-"));
  await chmod(folder, 0o711);
  // A signal ends the process without what follows; its PostgreSQL ends with it.
  const clear = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: CLEAR_RETRIES });
  process.once("exit", clear);
  try {
    const postgres = await launchPostgres({ dataDir: join(folder, "postgres") });
    const client = new pg.Client({ connectionString: postgres.connectionString("postgres") });
    try {
      await client.connect();
      await client.query(`CREATE DATABASE ${TEMPLATE}`);
      // What is looked for is a wrong answer: no power is taken away here.
      await client.query("ALTER ROLE CURRENT_USER SET synchronous_commit = off");
      await migrate(postgres.connectionString(TEMPLATE));
      let count = 0;
      return await run(async () => {
        const name = `fuzz_${++count}`;
        await client.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
        return postgres.connectionString(name);
      });
    } finally {
      await client.end();
      await postgres.stop();
    }
  } finally {
    process.off("exit", clear);
    await rm(folder, { recursive: true, force: true });
  }
}
