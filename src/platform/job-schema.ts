import pg from "pg";
import { PgBoss, type Db } from "pg-boss";

const ENDED_JOBS_KEPT_SECONDS = 3600;
const MAINTENANCE_SECONDS = 600;
// The interval in which one of the supervising workers maintains the queue.
const MONITOR_SECONDS = 2;
// Only a dead worker's job returns to the queue. An ordinary failure ends its job and creates the next one.
const TAKEOVERS_MAX = 10_000;

/** Returns the schema of a mode's jobs. It is separate from the mode's tables, because pg-boss owns and migrates it. */
export function jobsSchema(schema: string): string {
  return `${schema}_jobs`;
}

// The ORM's pool leaves times and numbers as text; pg-boss expects the types that `pg` parses.
const types = { getTypeParser: pg.types.getTypeParser };

export function databaseOf(client: Pick<pg.Pool | pg.PoolClient, "query">): Db {
  return {
    executeSql: async (text, values = []) => await client.query({ text, values, types }),
  };
}

export function newBoss(db: Db, schema: string, isMigrating: boolean): PgBoss {
  return new PgBoss({
    db,
    schema: jobsSchema(schema),
    migrate: isMigrating,
    // Workers maintain the queue with `supervise`.
    supervise: false,
    schedule: false,
    monitorIntervalSeconds: MONITOR_SECONDS,
    maintenanceIntervalSeconds: MAINTENANCE_SECONDS,
  });
}

/** The definition of a queue. */
export interface QueueDefinition {
  readonly name: string;
  /** The property of the jobs' data by which jobs are found. */
  readonly key: string;
}

/** Brings the jobs' schema up to date, and creates the queue or updates its options. */
export async function migrateJobs(
  pool: pg.Pool,
  schema: string,
  { name, key }: QueueDefinition,
): Promise<void> {
  const boss = newBoss(databaseOf(pool), schema, true);
  boss.on("error", () => undefined);
  await boss.start();
  const options = {
    retryLimit: TAKEOVERS_MAX,
    retryDelay: 0,
    deleteAfterSeconds: ENDED_JOBS_KEPT_SECONDS,
  };
  if (await boss.getQueue(name)) await boss.updateQueue(name, options);
  else await boss.createQueue(name, options);
  await boss.stop({ graceful: false });
  await indexJobs(pool, jobsSchema(schema), key);
}

// pg-boss has no index on job data, and leaves foreign indexes alone. The index has no ended jobs. Its existence is
// checked first, because CREATE INDEX waits for all writers even if the index exists.
async function indexJobs(pool: pg.Pool, schema: string, key: string): Promise<void> {
  const name = `job_${key.toLowerCase()}`;
  const { rowCount } = await pool.query("SELECT FROM pg_indexes WHERE schemaname = $1 AND indexname = $2", [
    schema,
    name,
  ]);
  if (rowCount === 1) return;
  await pool.query(
    `CREATE INDEX ${name} ON ${schema}.job_common (name, (data->>'${key}')) WHERE state <= 'active'`,
  );
}
