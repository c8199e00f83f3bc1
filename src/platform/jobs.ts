import type pg from "pg";
import { FairSemaphore } from "../../contract/fair-semaphore.ts";
import type { Db, PgBoss } from "pg-boss";
import { within, type Change } from "./change.ts";
import { databaseOf, jobsSchema, newBoss } from "./job-schema.ts";
import { listWaitingGroups, takeJobs, type WaitingGroup } from "./job-taking.ts";
import { LONG_STATEMENT_MS } from "./statement-limits.ts";
import { atLength } from "./transaction.ts";

/** A job for later. Its data is plain JSON. */
export interface Job<Data> {
  readonly id: string;
  readonly data: Data;
}

export interface NewJob<Data> {
  readonly data: Data;
  /** Delay before the job is due. */
  readonly delaySeconds: number;
  /** The jobs of one group share its limit of concurrency. */
  readonly group: string;
}

export interface QueueOptions {
  readonly name: string;
  /** A taken job that does not end within this time is given to another worker. */
  readonly expireSeconds: number;
  /** So is a job whose worker has sent no heartbeat for this time. */
  readonly heartbeatSeconds: number;
  readonly groupConcurrency: number;
}

/** The numbers of deferred, due and active jobs of a queue, at its last supervision. */
export interface QueueState {
  readonly deferredCount: number;
  readonly dueCount: number;
  readonly activeCount: number;
  /** The waiting time of the oldest due job. */
  readonly oldestDueSeconds: number;
}

// Of a pool's eight connections. As many wait as jobs are worked on.
const WORK = { total: 5, perKey: 3, waitingPerKey: Infinity, waitingTotal: Infinity, refusal: tooMany };

/** For statements that may read much. */
function patientDatabaseOf(pool: pg.Pool): Db {
  return {
    executeSql: async (text, values) =>
      await atLength(
        pool,
        LONG_STATEMENT_MS,
        async (client) => await databaseOf(client).executeSql(text, values),
      ),
  };
}

/** The queue of one mode. Jobs are created and ended in the transactions of their rows. */
export class JobQueue<Data extends object> {
  readonly #boss: PgBoss;
  /** Maintains the queue, on connections with a longer timeout. */
  readonly #supervisor: PgBoss;
  readonly #pool: pg.Pool;
  readonly #schema: string;
  readonly #options: QueueOptions;
  readonly #connections = new FairSemaphore(WORK);

  private constructor(
    { boss, supervisor }: Readonly<Record<"boss" | "supervisor", PgBoss>>,
    pool: pg.Pool,
    schema: string,
    options: QueueOptions,
  ) {
    this.#pool = pool;
    this.#boss = boss;
    this.#supervisor = supervisor;
    this.#schema = jobsSchema(schema);
    this.#options = options;
  }

  static async open<Data extends object>(
    pool: pg.Pool,
    schema: string,
    options: QueueOptions,
    onError: (error: Error) => void,
  ): Promise<JobQueue<Data>> {
    const bosses = [databaseOf(pool), patientDatabaseOf(pool)].map((db) => newBoss(db, schema, false));
    for (const boss of bosses) {
      boss.on("error", onError);
      await boss.start();
    }
    const [boss, supervisor] = bosses as [PgBoss, PgBoss];
    return new JobQueue<Data>({ boss, supervisor }, pool, schema, options);
  }

  /** Returns the change that creates the jobs of a tenant in the commit's transaction. */
  made(jobs: readonly NewJob<Data>[], tenantId: string): Change {
    return within(async (client) => await this.make(jobs, client), tenantId);
  }

  /** Creates the jobs in the current transaction. */
  async make(jobs: readonly NewJob<Data>[], client: pg.PoolClient): Promise<void> {
    if (jobs.length === 0) return;
    const { name, expireSeconds: expireInSeconds, heartbeatSeconds } = this.#options;
    const rows = jobs.map(({ data, delaySeconds: startAfter, group }) => ({
      data,
      startAfter,
      expireInSeconds,
      heartbeatSeconds,
      group: { id: group },
    }));
    await this.#boss.insert(name, rows, { db: databaseOf(client) });
  }

  /** Returns the change that ends a job in the commit's transaction. */
  ended(id: string): Change {
    return within(async (client) => {
      await this.#boss.complete(this.#options.name, id, undefined, { db: databaseOf(client) });
    });
  }

  /**
   * Runs what a tenant's job does in the database when there is a place. Jobs share the pool with API requests where one process
   * does both, and very many may end within a second. Tenants take turns.
   */
  async inPlace<Result>(tenantId: string, work: () => Promise<Result>): Promise<Result> {
    return await this.#connections.run(tenantId, work);
  }

  /** Ends a job that needs no work. */
  async end(id: string): Promise<void> {
    await this.#boss.complete(this.#options.name, id);
  }

  /** Returns the data of waiting and active jobs whose data has one of these values under the key. */
  async find(
    key: keyof Data & string,
    values: readonly string[],
    client: Pick<pg.Pool, "query">,
  ): Promise<Data[]> {
    const { rows } = await client.query<{ data: Data }>({
      name: `find jobs by ${key}`,
      text: `SELECT data FROM ${this.#schema}.job
        WHERE name = $1 AND data->>'${key}' = ANY ($2) AND state <= 'active'`,
      values: [this.#options.name, values],
    });
    return rows.map(({ data }) => data);
  }

  /** Returns the data of those of them that are due and that no worker has taken. */
  async findDue(
    key: keyof Data & string,
    values: readonly string[],
    client: Pick<pg.Pool, "query">,
  ): Promise<Data[]> {
    const { rows } = await client.query<{ data: Data }>({
      name: `find due jobs by ${key}`,
      text: `SELECT data FROM ${this.#schema}.job
        WHERE name = $1 AND data->>'${key}' = ANY ($2) AND state < 'active' AND start_after <= clock_timestamp()`,
      values: [this.#options.name, values],
    });
    return rows.map(({ data }) => data);
  }

  /** Returns the groups with jobs that no worker has taken, with the data of one of these jobs each. */
  async waitingGroups(client: Pick<pg.Pool, "query">): Promise<WaitingGroup<Data>[]> {
    return await listWaitingGroups<Data>(client, this.#schema, this.#options.name);
  }

  /** Returns the data of up to `limit` jobs of these groups that no worker has taken. */
  async waitingIn(groups: readonly string[], limit: number, client: Pick<pg.Pool, "query">): Promise<Data[]> {
    const { rows } = await client.query<{ data: Data }>({
      name: "find waiting jobs of groups",
      text: `SELECT data FROM ${this.#schema}.job
        WHERE name = $1 AND group_id = ANY ($2) AND state < 'active' AND NOT blocked LIMIT $3`,
      values: [this.#options.name, groups, limit],
    });
    return rows.map(({ data }) => data);
  }

  /** Removes those of them that no worker has taken. */
  async removeWaiting(
    key: keyof Data & string,
    values: readonly string[],
    client: Pick<pg.Pool, "query">,
  ): Promise<void> {
    await client.query({
      name: `remove waiting jobs by ${key}`,
      text: `DELETE FROM ${this.#schema}.job WHERE name = $1 AND data->>'${key}' = ANY ($2) AND state < 'active'`,
      values: [this.#options.name, values],
    });
  }

  /** Takes up to `count` due jobs. */
  async take(count: number): Promise<Job<Data>[]> {
    const { name, groupConcurrency } = this.#options;
    return await takeJobs<Data>(this.#pool, this.#schema, { name, count, groupConcurrency });
  }

  /** Sends a heartbeat for jobs that a worker still works on. */
  async beat(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#boss.touch(this.#options.name, [...ids]);
  }

  /** Returns the jobs of dead workers to the queue, and removes jobs that ended long ago. */
  async supervise(): Promise<void> {
    await this.#supervisor.supervise(this.#options.name);
  }

  /** Returns the counts of the last supervision, which are cheap to read, and the age of the oldest due job. */
  async state(): Promise<QueueState> {
    const queue = await this.#boss.getQueue(this.#options.name);
    return {
      deferredCount: queue?.deferredCount ?? 0,
      dueCount: queue?.readyCount ?? 0,
      activeCount: queue?.activeCount ?? 0,
      oldestDueSeconds: await this.#oldestDueSeconds(),
    };
  }

  // It uses the order in which jobs are taken, so that an index finds the row at once.
  async #oldestDueSeconds(): Promise<number> {
    const { rows } = await this.#boss.getDb().executeSql(
      `SELECT date_part('epoch', now() - start_after)::float8 AS seconds FROM ${this.#schema}.job
        WHERE name = $1 AND state < 'active' AND NOT blocked AND start_after <= now()
        ORDER BY priority DESC, created_on LIMIT 1`,
      [this.#options.name],
    );
    return (rows[0] as { seconds: number } | undefined)?.seconds ?? 0;
  }

  async close(): Promise<void> {
    for (const boss of [this.#boss, this.#supervisor]) await boss.stop({ graceful: false });
  }
}

function tooMany(): Error {
  return new Error("Too many jobs wait for the database.");
}
