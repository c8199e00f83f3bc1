import type pg from "pg";
import type { Db, JobWithMetadata, PgBoss } from "pg-boss";
import { within, type Change } from "./change.ts";
import { databaseOf, jobsSchema, newBoss } from "./job-schema.ts";
import { LONG_STATEMENT_MS } from "./statement-limits.ts";
import { atLength } from "./transaction.ts";

/** Something to do later, as it travels: only plain JSON. */
export interface Job<Data> {
  readonly id: string;
  readonly data: Data;
}

export interface NewJob<Data> {
  readonly data: Data;
  /** Not before so many seconds from now. */
  readonly delaySeconds: number;
  /** Jobs of one group share its limit of concurrent ones. */
  readonly group: string;
}

export interface QueueOptions {
  readonly name: string;
  /** A job that somebody took and did not end within this time is given to somebody else. */
  readonly expireSeconds: number;
  /** So is one of whose taker nothing was heard for this time. */
  readonly heartbeatSeconds: number;
  readonly groupConcurrency: number;
}

/** How many jobs of a queue wait for their time, are due and are under way, as of its last supervision. */
export interface QueueState {
  readonly deferredCount: number;
  readonly dueCount: number;
  readonly activeCount: number;
  /** How long the oldest job that is due has been waiting. */
  readonly oldestDueSeconds: number;
}

/** For what may have much to look through. */
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

/** One queue of one environment: jobs are made and ended inside the transactions of what they belong to. */
export class JobQueue<Data extends object> {
  readonly #boss: PgBoss;
  /** Looks after the queue, on connections with time for it. */
  readonly #supervisor: PgBoss;
  readonly #schema: string;
  readonly #options: QueueOptions;

  private constructor(boss: PgBoss, supervisor: PgBoss, schema: string, options: QueueOptions) {
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
    return new JobQueue<Data>(boss, supervisor, schema, options);
  }

  /** Makes the jobs in the transaction of the other changes. */
  made(jobs: readonly NewJob<Data>[]): Change {
    return within(async (client) => await this.make(jobs, client));
  }

  /** Makes the jobs in a transaction that is under way. */
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

  /** Ends a job in the transaction of the other changes. */
  ended(id: string): Change {
    return within(async (client) => {
      await this.#boss.complete(this.#options.name, id, undefined, { db: databaseOf(client) });
    });
  }

  /** Ends a job that there is nothing to do for. */
  async end(id: string): Promise<void> {
    await this.#boss.complete(this.#options.name, id);
  }

  /** The data of jobs that wait or are under way and have one of these values as that text of their data. */
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

  /** Takes up to `count` jobs that are due. */
  async take(count: number): Promise<Job<Data>[]> {
    const taken: Job<Data>[] = [];
    const groups = new Set<string>();
    while (taken.length < count) {
      const jobs = await this.#fetch(count - taken.length, [...groups]);
      if (jobs.length === 0) break;
      for (const { groupId } of jobs) if (groupId) groups.add(groupId);
      taken.push(...jobs);
    }
    return taken;
  }

  // pg-boss looks at the oldest jobs alone and then leaves out those whose group is full: behind a group with many
  // waiting, the others would see nothing. So it is asked again without the groups that were served. It takes
  // `ignoreGroups` from its own worker; its types do not tell of it.
  async #fetch(batchSize: number, ignoreGroups: string[]): Promise<JobWithMetadata<Data>[]> {
    const { name, groupConcurrency } = this.#options;
    const options = { batchSize, groupConcurrency, ignoreGroups, includeMetadata: true as const };
    return await this.#boss.fetch<Data>(name, options);
  }

  /** Tells that somebody still works on jobs that it took. */
  async beat(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#boss.touch(this.#options.name, [...ids]);
  }

  /** Gives back the jobs of the dead and removes those that ended long ago. */
  async supervise(): Promise<void> {
    await this.#supervisor.supervise(this.#options.name);
  }

  /** Counted by whoever supervises, so that asking is cheap. */
  async state(): Promise<QueueState> {
    const queue = await this.#boss.getQueue(this.#options.name);
    return {
      deferredCount: queue?.deferredCount ?? 0,
      dueCount: queue?.readyCount ?? 0,
      activeCount: queue?.activeCount ?? 0,
      oldestDueSeconds: await this.#oldestDueSeconds(),
    };
  }

  // In the order in which jobs are taken, so that an index finds it at once.
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
