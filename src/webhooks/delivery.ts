import type pg from "pg";
import { NO_ENTRY } from "../platform/rpc/audit-trail.ts";
import { insert, update, type Change } from "../platform/write/change.ts";
import { secondsAfter, type Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { newId } from "../../contract/ids.ts";
import type { FairSemaphore } from "../../contract/fair-semaphore.ts";
import type { Encryption } from "../platform/db/encryption.ts";
import { GroupedQuery } from "../platform/db/grouped-query.ts";
import { inTransaction } from "../platform/db/transaction.ts";
import type { DueDelivery } from "./due-deliveries.ts";
import { secretOwner } from "./endpoint.ts";
import { WebhookAttempt, WebhookDelivery, type DeliveryRow } from "./entities.ts";
import { ATTEMPTS_KEPT, removeSurplusAttempts } from "./retention.ts";
import { delayAfter, readRetryAfter } from "./retry-schedule.ts";
import type { Answer, Sender } from "./sender.ts";
import { signatureHeaders } from "./signature.ts";

export interface DeliveryDeps {
  readonly environment: Environment;
  /** Bounds how many attempts use the database at a time, by tenant. */
  readonly connections: FairSemaphore;
  readonly sender: Pick<Sender, "post">;
  readonly encryption: Encryption;
  readonly clock: Clock;
  /** Seconds before each attempt of a round. */
  readonly schedule: readonly number[];
}

/** A delivery with its body, address and secrets. */
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

const TARGET = new GroupedQuery<
  [
    status: DeliveryRow["status"],
    round: number,
    roundAttemptCount: number,
    attemptCount: number,
    eventId: string,
    endpointId: string,
    body: Buffer,
    url: string,
    isEnabled: boolean,
    sealedSecrets: readonly string[],
  ]
>({
  name: "delivery target",
  text: `SELECT d.status, d.round, d.round_attempt_count, d.attempt_count, d.event_id, d.endpoint_id, e.body, w.url,
      w.status = 'enabled' AND w.deleted_at IS NULL,
      ARRAY(SELECT w.sealed_secret UNION ALL
        SELECT former->>'sealedSecret' FROM jsonb_array_elements(w.former_secrets) AS former
        WHERE (former->>'expiresAt')::timestamptz > $3)
    FROM webhook_delivery d
    JOIN event e ON e.tenant_id = d.tenant_id AND e.id = d.event_id
    JOIN webhook_endpoint w ON w.tenant_id = d.tenant_id AND w.id = d.endpoint_id
    WHERE d.tenant_id = $1 AND d.id = $2`,
  parameters: ["text", "text", "timestamptz"],
});

const GONE = 410;

/** The end of a delivery to a disabled or deleted endpoint. */
const GIVEN_UP = {
  status: "failed",
  nextAttemptAt: null,
  lastStatusCode: null,
  lastError: "endpoint_disabled",
} as const;

/** Returns a new delivery that is due now. */
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

/** Makes one attempt of a delivery that was taken, and records its result with the time of the next attempt. */
export async function deliver(due: DueDelivery, deps: DeliveryDeps): Promise<void> {
  const { environment, connections, sender, clock } = deps;
  const { tenantId, deliveryId, round } = due;
  const startedAt = new Date(clock.nowMs());
  const connected = async <Result>(work: () => Promise<Result>): Promise<Result> =>
    await connections.run(tenantId, work);
  const target = await connected(async () => await findTarget(environment, tenantId, deliveryId, startedAt));
  if (target?.status !== "pending" || target.round !== round) return;
  if (!target.isEnabled) return await connected(async () => await giveUp(due, target, deps));
  const headers = {
    "content-type": "application/json",
    "user-agent": "paylink-webhooks/1",
    ...signatureHeaders(target.eventId, target.body, await secretsOf(target, deps.encryption), startedAt),
  };
  const answer = await sender.post(target.url, headers, target.body);
  await connected(async () => await record(due, target, { answer, headers, startedAt }, deps));
}

async function secretsOf({ sealedSecrets, endpointId }: Target, encryption: Encryption): Promise<string[]> {
  return await Promise.all(
    sealedSecrets.map((encrypted) => encryption.decrypt(encrypted, secretOwner(endpointId))),
  );
}

/** A completed attempt. */
interface Made {
  readonly answer: Answer;
  readonly headers: Record<string, string>;
  readonly startedAt: Date;
}

/**
 * Records an attempt. If the delivery has moved on meanwhile, by a new round or by another worker that took it, the
 * attempt is only logged and does not change the delivery's state.
 */
async function record(
  { tenantId, deliveryId }: DueDelivery,
  target: Target,
  { answer, headers, startedAt }: Made,
  { environment: { pool, committer }, clock, schedule }: DeliveryDeps,
): Promise<void> {
  const { statusCode, error, latencyMs, responseBody, retryAfter } = answer;
  const now = new Date(clock.nowMs());
  const roundAttemptCount = target.roundAttemptCount + 1;
  const isGone = statusCode === GONE;
  const delay =
    error === null || isGone
      ? null
      : delayAfter(roundAttemptCount, readRetryAfter(retryAfter, now), Math.random(), schedule);
  const outcome = {
    status: error === null ? "succeeded" : delay === null ? "failed" : "pending",
    roundAttemptCount,
    nextAttemptAt: delay === null ? null : secondsAfter(now, delay),
    lastStatusCode: statusCode,
    lastError: error,
  } as const;
  const sent = { requestUrl: target.url, requestHeaders: headers };
  const attempt = { startedAt, latencyMs, statusCode, error, responseBody, ...sent };
  const changes = (number: number, where: Partial<DeliveryRow>, isCurrent: boolean): Change[] => [
    insert(WebhookAttempt, { tenantId, deliveryId, number, ...attempt }),
    update(
      WebhookDelivery,
      { tenantId, id: deliveryId, ...where },
      { ...(isCurrent ? outcome : {}), attemptCount: number },
    ),
  ];
  const next = target.attemptCount + 1;
  if (!isGone && next <= ATTEMPTS_KEPT) {
    // Nearly always nothing has moved it on, and the attempts that end at once are written together.
    const result = await committer.commit(changes(next, stepOf(target), true), NO_ENTRY);
    if (result === "committed") return;
  }
  await inTransaction(pool, async (client) => {
    const current = await lockDelivery(client, tenantId, deliveryId);
    const number = current.attemptCount + 1;
    await committer.write(client, changes(number, {}, isSameStep(current, target)), NO_ENTRY);
    await removeSurplusAttempts(client, { tenantId, deliveryId, number });
    if (isGone) await disableGone(client, tenantId, target);
  });
}

/** Ends the delivery to a disabled or deleted endpoint. It can be sent again by hand. */
async function giveUp(
  { tenantId, deliveryId }: DueDelivery,
  target: Target,
  { environment: { pool, committer } }: DeliveryDeps,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const isCurrent = isSameStep(await lockDelivery(client, tenantId, deliveryId), target);
    const ended = update(WebhookDelivery, { tenantId, id: deliveryId }, GIVEN_UP);
    if (isCurrent) await committer.write(client, [ended], NO_ENTRY);
  });
}

type Step = Pick<DeliveryRow, "status" | "round" | "roundAttemptCount" | "attemptCount">;

function stepOf({ status, round, roundAttemptCount, attemptCount }: Step): Step {
  return { status, round, roundAttemptCount, attemptCount };
}

function isSameStep(current: Step, { status, round, roundAttemptCount }: Step): boolean {
  return (
    current.status === status && current.round === round && current.roundAttemptCount === roundAttemptCount
  );
}

async function lockDelivery(client: pg.PoolClient, tenantId: string, id: string): Promise<Step> {
  const { rows } = await client.query<Step>({
    name: "lock delivery",
    text: `SELECT status, round, round_attempt_count AS "roundAttemptCount", attempt_count AS "attemptCount"
      FROM webhook_delivery WHERE tenant_id = $1 AND id = $2 FOR UPDATE`,
    values: [tenantId, id],
  });
  return rows[0] as Step;
}

/**
 * Disables an endpoint that answered 410. If it was disabled or moved to another address meanwhile, it is not changed.
 */
async function disableGone(
  client: pg.PoolClient,
  tenantId: string,
  { endpointId, url }: Target,
): Promise<void> {
  await client.query(
    `UPDATE webhook_endpoint SET status = 'disabled', disabled_reason = 'gone'
      WHERE tenant_id = $1 AND id = $2 AND url = $3 AND status = 'enabled'`,
    [tenantId, endpointId, url],
  );
}

async function findTarget(
  { pool }: Environment,
  tenantId: string,
  deliveryId: string,
  now: Date,
): Promise<Target | undefined> {
  const [row] = await TARGET.rows(pool, [tenantId, deliveryId, now.toISOString()]);
  if (!row) return undefined;
  const [status, round, roundAttemptCount, attemptCount, eventId, endpointId, body, url, ...rest] = row;
  const [isEnabled, sealedSecrets] = rest;
  const counts = { round, roundAttemptCount, attemptCount };
  return { ...counts, status, eventId, endpointId, body, url, isEnabled, sealedSecrets };
}
