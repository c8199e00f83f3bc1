import type pg from "pg";
import type { Clock } from "../platform/clock.ts";
import type { Environment } from "../platform/database.ts";
import type { JobQueue } from "../platform/jobs.ts";
import { sweep, type Found } from "../platform/sweep.ts";
import { deliveryJob, type DeliveryJob } from "./delivery.ts";

// Ten batches, what a sweep asks for, are more than one look finds: it looks once.
const BATCH = 600;
const LOOKED_AT_MAX = 5000;

interface DueDelivery extends Found {
  readonly id: string;
  readonly round: number;
  readonly nextAttemptAt: string;
}

type Position = Pick<DueDelivery, "tenantId" | "id" | "nextAttemptAt">;

// The position before all deliveries.
const START: Position = { nextAttemptAt: "-infinity", tenantId: "", id: "" };

/**
 * Finds due deliveries without a job, and creates their jobs. A delivery and its job are written together, so such
 * deliveries exist only if jobs were lost: removed by hand, expired, or missing in a backup.
 */
export class LostJobs {
  readonly #environment: Environment;
  readonly #queue: JobQueue<DeliveryJob>;
  readonly #clock: Clock;
  #position = START;

  constructor(environment: Environment, queue: JobQueue<DeliveryJob>, clock: Clock) {
    this.#environment = environment;
    this.#queue = queue;
    this.#clock = clock;
  }

  /**
   * Checks the next few thousand due deliveries, from the end of the last round. Any number of workers may run it at a
   * time. Returns the number of created jobs.
   */
  async replace(): Promise<number> {
    const { pool } = this.#environment;
    return await sweep<DueDelivery>({
      pool,
      batch: BATCH,
      find: async () => await this.#findLost(pool),
      change: async (client, tenantId, lost) => await this.#makeJobs(client, tenantId, lost),
    });
  }

  async #findLost(pool: pg.Pool): Promise<DueDelivery[]> {
    const due = await findDue(pool, new Date(this.#clock.nowMs()), this.#position);
    this.#position = (due.length === LOOKED_AT_MAX ? due.at(-1) : undefined) ?? START;
    return await this.#withoutJob(pool, due);
  }

  /** Creates the missing jobs. A locked delivery gets its job from the worker that has the lock, or needs none. */
  async #makeJobs(client: pg.PoolClient, tenantId: string, lost: readonly DueDelivery[]): Promise<number> {
    const { rows } = await client.query<{ id: string; round: number; endpointId: string }>({
      name: "lock deliveries without a job",
      text: `SELECT id, round, endpoint_id AS "endpointId" FROM webhook_delivery
        WHERE tenant_id = $1 AND id = ANY ($2) AND status = 'pending' ORDER BY id FOR UPDATE SKIP LOCKED`,
      values: [tenantId, lost.map(({ id }) => id)],
    });
    // This is checked again under the lock: an earlier holder of the lock may have created the job.
    const still = await this.#withoutJob(client, rows);
    const jobs = still.map((delivery) => deliveryJob({ tenantId, ...delivery }, 0));
    await this.#queue.make(jobs, client);
    return jobs.length;
  }

  async #withoutJob<Delivery extends { readonly id: string; readonly round: number }>(
    client: Pick<pg.Pool, "query">,
    deliveries: readonly Delivery[],
  ): Promise<Delivery[]> {
    if (deliveries.length === 0) return [];
    const ids = deliveries.map(({ id }) => id);
    const jobs = await this.#queue.find("deliveryId", ids, client);
    const rounds = new Set(jobs.map(({ deliveryId, round }) => `${deliveryId} ${round}`));
    return deliveries.filter(({ id, round }) => !rounds.has(`${id} ${round}`));
  }
}

async function findDue(pool: pg.Pool, now: Date, after: Position): Promise<DueDelivery[]> {
  const { rows } = await pool.query<DueDelivery>({
    name: "find due deliveries",
    text: `SELECT tenant_id AS "tenantId", id, round, next_attempt_at AS "nextAttemptAt" FROM webhook_delivery
      WHERE status = 'pending' AND next_attempt_at <= $1 AND (next_attempt_at, tenant_id, id) > ($2, $3, $4)
      ORDER BY next_attempt_at, tenant_id, id LIMIT ${LOOKED_AT_MAX}`,
    values: [now, after.nextAttemptAt, after.tenantId, after.id],
  });
  return rows;
}
