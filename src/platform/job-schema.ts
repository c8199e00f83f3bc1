import pg from "pg";
import { PgBoss, type Db } from "pg-boss";
import manifest from "pg-boss/package.json" with { type: "json" };
import { GROUP_INDEX } from "./job-taking.ts";

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
    `SELECT FROM ${jobs}.version, ${jobs}.queue
      WHERE version >= $1 AND queue.name = $2 AND retry_limit = $3 AND retry_delay = $4 AND deletion_seconds = $5
        AND (SELECT count(*) FROM pg_indexes WHERE schemaname = $6 AND indexname = ANY ($7)) = cardinality($7::text[])`,
    [
      manifest.pgboss.schema,
      name,
      OPTIONS.retryLimit,
      OPTIONS.retryDelay,
      OPTIONS.deleteAfterSeconds,
      jobs,
      indexesBy(key).map((index) => index.name),
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
  for (const index of indexesBy(key)) await indexJobs(pool, jobsSchema(schema), index);
}

/** Those of ours: pg-boss has none on job data, nor one of the jobs of a group that wait. It leaves foreign ones alone. */
function indexesBy(key: string): (typeof GROUP_INDEX)[] {
  const byKey = `(name, (data->>'${key}')) WHERE state <= 'active'`;
  return [{ name: `job_${key.toLowerCase()}`, of: byKey }, GROUP_INDEX];
}

// The indexes have no ended jobs. Their existence is checked first, because CREATE INDEX waits for all writers even if
// the index exists.
async function indexJobs(pool: pg.Pool, schema: string, { name, of }: typeof GROUP_INDEX): Promise<void> {
  const { rowCount } = await pool.query("SELECT FROM pg_indexes WHERE schemaname = $1 AND indexname = $2", [
    schema,
    name,
  ]);
  if (rowCount === 1) return;
  await pool.query(`CREATE INDEX ${name} ON ${schema}.job_common ${of}`);
}
