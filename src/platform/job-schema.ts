import pg from "pg";
import { PgBoss, type Db } from "pg-boss";

const ENDED_JOBS_KEPT_SECONDS = 3600;
const MAINTENANCE_SECONDS = 600;
// Of several workers that supervise, one looks after the queue this often.
const MONITOR_SECONDS = 2;
// Only a death takes a job back to the queue; what fails in an ordinary way ends its job and makes the next one.
const TAKEOVERS_MAX = 10_000;

/** The schema of an environment's jobs: apart from its tables, because pg-boss owns and migrates it. */
export function jobsSchema(schema: string): string {
  return `${schema}_jobs`;
}

// The ORM's pool leaves times and numbers as text: pg-boss expects what `pg` itself makes of them.
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
    // Who works looks after the queue by `supervise`.
    supervise: false,
    schedule: false,
    monitorIntervalSeconds: MONITOR_SECONDS,
    maintenanceIntervalSeconds: MAINTENANCE_SECONDS,
  });
}

/** What a queue is, apart from its jobs. */
export interface QueueDefinition {
  readonly name: string;
  /** By which text of their data jobs can be found. */
  readonly key: string;
}

/** Brings the jobs' schema up to date and makes the queue as it is meant now. */
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

// pg-boss has no index on what jobs are about, and leaves indexes alone that are not its own. Those that ended are not in
// it. Looked for first: CREATE INDEX waits for all who write, even where the index is there.
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
