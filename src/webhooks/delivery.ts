import { insert, update, type Change } from "../platform/change.ts";
import { secondsAfter, type Clock } from "../platform/clock.ts";
import type { Environment } from "../platform/database.ts";
import { newId } from "../platform/ids.ts";
import type { Job, JobQueue, NewJob } from "../platform/jobs.ts";
import type { Sealer } from "../platform/sealer.ts";
import { secretOwner } from "./endpoint.ts";
import { WebhookAttempt, WebhookDelivery, WebhookEndpoint, type DeliveryRow } from "./entities.ts";
import { delayAfter, readRetryAfter } from "./retry-schedule.ts";
import type { Answer, Sender } from "./sender.ts";
import { signatureHeaders } from "./signature.ts";

/** Where attempts wait for their time. */
export const DELIVERY_QUEUE = "webhook-delivery";

/** One attempt to make. A job of a round that is over is stale. */
export interface DeliveryJob {
  readonly tenantId: string;
  readonly deliveryId: string;
  readonly round: number;
}

export interface DeliveryDeps {
  readonly environment: Environment;
  readonly queue: JobQueue<DeliveryJob>;
  readonly sender: Sender;
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** Seconds before each attempt of a round. */
  readonly schedule: readonly number[];
}

/** A delivery with what is sent and where. */
interface Target {
  readonly status: DeliveryRow["status"];
  readonly round: number;
  readonly roundAttemptCount: number;
  readonly attemptCount: number;
  readonly eventId: string;
  readonly endpointId: string;
  readonly body: Buffer;
  readonly url: string;
  readonly isEnabled: boolean;
  readonly sealedSecrets: readonly string[];
}

const GONE = 410;
const UNIQUE_VIOLATION = "23505";

/** A delivery that is about to begin. */
export function newDelivery(tenantId: string, eventId: string, endpointId: string, now: Date): DeliveryRow {
  return {
    tenantId,
    id: newId("dlv"),
    eventId,
    endpointId,
    status: "pending",
    round: 1,
    roundAttemptCount: 0,
    attemptCount: 0,
    nextAttemptAt: now,
    lastStatusCode: null,
    lastError: null,
    createdAt: now,
  };
}

/** The job of a delivery's next attempt. Deliveries to one endpoint share its limit. */
export function deliveryJob(
  { tenantId, id, round, endpointId }: Pick<DeliveryRow, "tenantId" | "id" | "round" | "endpointId">,
  delaySeconds: number,
): NewJob<DeliveryJob> {
  return { data: { tenantId, deliveryId: id, round }, delaySeconds, group: endpointId };
}

/**
 * Makes one attempt and writes down how it went, together with the end of its job and the job of the next attempt.
 * Whoever was slower than the time of a job finds that another went on, and leaves it at that.
 */
export async function deliver(job: Job<DeliveryJob>, deps: DeliveryDeps): Promise<void> {
  const { environment, queue, sender, clock } = deps;
  const { tenantId, deliveryId, round } = job.data;
  const startedAt = new Date(clock.nowMs());
  const target = await findTarget(environment, tenantId, deliveryId, startedAt);
  if (target?.status !== "pending" || target.round !== round) return await queue.end(job.id);
  if (!target.isEnabled) return await giveUp(job, target, deps);
  const headers = {
    "content-type": "application/json",
    "user-agent": "paylink-webhooks/1",
    ...signatureHeaders(target.eventId, target.body, await secretsOf(target, deps.sealer), startedAt),
  };
  const answer = await sender.post(target.url, headers, target.body);
  await record(job, target, answer, startedAt, deps);
  if (answer.statusCode === GONE) await disableGone(environment, tenantId, target.endpointId);
}

async function secretsOf({ sealedSecrets, endpointId }: Target, sealer: Sealer): Promise<string[]> {
  return await Promise.all(sealedSecrets.map((sealed) => sealer.open(sealed, secretOwner(endpointId))));
}

async function record(
  job: Job<DeliveryJob>,
  target: Target,
  { statusCode, error, latencyMs, responseBody, retryAfter }: Answer,
  startedAt: Date,
  { environment, queue, clock, schedule }: DeliveryDeps,
): Promise<void> {
  const { tenantId, deliveryId, round } = job.data;
  const now = new Date(clock.nowMs());
  const attemptCount = target.attemptCount + 1;
  const roundAttemptCount = target.roundAttemptCount + 1;
  const delay =
    error === null || statusCode === GONE
      ? null
      : delayAfter(roundAttemptCount, readRetryAfter(retryAfter, now), Math.random(), schedule);
  const next = {
    ...({ status: error === null ? "succeeded" : delay === null ? "failed" : "pending" } as const),
    attemptCount,
    roundAttemptCount,
    nextAttemptAt: delay === null ? null : secondsAfter(now, delay),
    lastStatusCode: statusCode,
    lastError: error,
  };
  const attempt = {
    tenantId,
    deliveryId,
    number: attemptCount,
    startedAt,
    latencyMs,
    statusCode,
    error,
    responseBody,
  };
  const retry = { tenantId, id: deliveryId, round, endpointId: target.endpointId };
  const unmoved = { tenantId, id: deliveryId, attemptCount: target.attemptCount };
  const isMine = await committed(environment, [
    insert(WebhookAttempt, attempt),
    update(WebhookDelivery, { ...unmoved, status: target.status, round }, next),
    queue.ended(job.id),
    ...(delay === null ? [] : [queue.made([deliveryJob(retry, delay)])]),
  ]);
  if (isMine) return;
  // A new round began meanwhile: this attempt was made all the same.
  const isLogged = await committed(environment, [
    insert(WebhookAttempt, attempt),
    update(WebhookDelivery, unmoved, { attemptCount }),
    queue.ended(job.id),
  ]);
  if (!isLogged) await queue.end(job.id);
}

/** Whether the changes were made: not when another attempt of the same job was written down first. */
async function committed({ committer }: Environment, changes: readonly Change[]): Promise<boolean> {
  try {
    return (await committer.commit(changes, null)) === "committed";
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === UNIQUE_VIOLATION) return false;
    throw error;
  }
}

/** Nothing is sent to an endpoint that is disabled or deleted; it can be sent again by hand. */
async function giveUp(
  job: Job<DeliveryJob>,
  target: Target,
  { environment, queue }: DeliveryDeps,
): Promise<void> {
  const { tenantId, deliveryId, round } = job.data;
  const guard = { tenantId, id: deliveryId, status: target.status, round };
  const set = { status: "failed", nextAttemptAt: null, lastError: "endpoint_disabled" } as const;
  const isClosed = await committed(environment, [update(WebhookDelivery, guard, set), queue.ended(job.id)]);
  if (!isClosed) await queue.end(job.id);
}

/** An endpoint that answers 410 wants to hear no more. Somebody may have disabled it meanwhile: that stands. */
async function disableGone({ committer }: Environment, tenantId: string, id: string): Promise<void> {
  const enabled = { tenantId, id, status: "enabled" } as const;
  await committer.commit(
    [update(WebhookEndpoint, enabled, { status: "disabled", disabledReason: "gone" })],
    null,
  );
}

async function findTarget(
  { pool }: Environment,
  tenantId: string,
  deliveryId: string,
  now: Date,
): Promise<Target | undefined> {
  const { rows } = await pool.query<Target>({
    name: "delivery target",
    text: `SELECT d.status, d.round, d.round_attempt_count AS "roundAttemptCount", d.attempt_count AS "attemptCount",
        d.event_id AS "eventId", d.endpoint_id AS "endpointId", e.body, w.url,
        w.status = 'enabled' AND w.deleted_at IS NULL AS "isEnabled",
        array_remove(ARRAY[w.sealed_secret,
          CASE WHEN w.previous_secret_expires_at > $3 THEN w.previous_sealed_secret END], NULL) AS "sealedSecrets"
      FROM webhook_delivery d
      JOIN event e ON e.tenant_id = d.tenant_id AND e.id = d.event_id
      JOIN webhook_endpoint w ON w.tenant_id = d.tenant_id AND w.id = d.endpoint_id
      WHERE d.tenant_id = $1 AND d.id = $2`,
    values: [tenantId, deliveryId, now],
  });
  return rows[0];
}
