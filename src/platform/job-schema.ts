import pg from "pg";
import { PgBoss, type Db } from "pg-boss";
import manifest from "pg-boss/package.json" with { type: "json" };

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

const OPTIONS = {
  retryLimit: TAKEOVERS_MAX,
  retryDelay: 0,
  deleteAfterSeconds: ENDED_JOBS_KEPT_SECONDS,
};

/** The definition of a queue. */
export interface QueueDefinition {
  readonly name: string;
  /** The property of the jobs' data by which jobs are found. */
  readonly key: string;
}

/** Returns true if `migrateJobs` would change nothing. Throws the database's error if there is no such schema. */
export async function areJobsCurrent(
  client: Pick<pg.Client, "query">,
  schema: string,
  { name, key }: QueueDefinition,
): Promise<boolean> {
  const jobs = jobsSchema(schema);
  const { rowCount } = await client.query(
    `SELECT FROM ${jobs}.version, ${jobs}.queue, pg_indexes
      WHERE version >= $1 AND queue.name = $2 AND retry_limit = $3 AND retry_delay = $4 AND deletion_seconds = $5
        AND schemaname = $6 AND indexname = $7`,
    [
      manifest.pgboss.schema,
      name,
      OPTIONS.retryLimit,
      OPTIONS.retryDelay,
      OPTIONS.deleteAfterSeconds,
      jobs,
      indexName(key),
    ],
  );
  return rowCount === 1;
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
  if (await boss.getQueue(name)) await boss.updateQueue(name, OPTIONS);
  else await boss.createQueue(name, OPTIONS);
  await boss.stop({ graceful: false });
  await indexJobs(pool, jobsSchema(schema), key);
}

function indexName(key: string): string {
  return `job_${key.toLowerCase()}`;
}

// pg-boss has no index on job data, and leaves foreign indexes alone. The index has no ended jobs. Its existence is
// checked first, because CREATE INDEX waits for all writers even if the index exists.
async function indexJobs(pool: pg.Pool, schema: string, key: string): Promise<void> {
  const name = indexName(key);
  const { rowCount } = await pool.query("SELECT FROM pg_indexes WHERE schemaname = $1 AND indexname = $2", [
    schema,
    name,
  ]);
  if (rowCount === 1) return;
  await pool.query(
    `CREATE INDEX ${name} ON ${schema}.job_common (name, (data->>'${key}')) WHERE state <= 'active'`,
  );
}
