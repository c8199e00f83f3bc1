import { setTimeout as delay } from "node:timers/promises";
import { compactDecrypt } from "jose";
import { Webhook } from "standardwebhooks";
import { Agent, request } from "undici";
import { pool } from "./context.ts";
import { END_DELIVERY, INSERT_ATTEMPT, TAKE_DELIVERIES } from "./sale-statements.ts";
import { inTransaction } from "./transaction.ts";

const POLL_MS = 1000;
const TAKEN_MAX = 8;
const TIMEOUT_MS = 10_000;
const KEPT_CHARACTERS = 4096;
const RETRY_MS = 60_000;

interface Delivery {
  tenant_id: string;
  id: string;
  event_id: string;
  attempt_count: number;
  body: Buffer;
  url: string;
  sealed_secret: string;
}

const agent = new Agent({ connections: TAKEN_MAX });
const webhooks = new Map<string, Promise<Webhook>>();
let wake: (() => void) | undefined;
let isWoken = false;

/** Looks for due deliveries at once, in place of the next second. */
export function wakeDeliveries(): void {
  isWoken = true;
  wake?.();
}

/** Sends due deliveries for as long as the process runs. `dataKey`: what the endpoints' secrets are encrypted with. */
export async function runDeliveries(dataKey: Buffer): Promise<never> {
  for (;;) {
    isWoken = false;
    const due = await pool
      .query<Delivery>({ name: "take deliveries", text: TAKE_DELIVERIES, values: [new Date(), TAKEN_MAX] })
      .then(({ rows }) => rows)
      .catch((error: unknown) => (console.error(error), []));
    await Promise.all(
      due.map((one) => deliver(one, dataKey).catch((error: unknown) => console.error(error))),
    );
    if (due.length > 0 || isWoken) continue;
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    await Promise.race([woken, delay(POLL_MS, undefined, { ref: false })]);
  }
}

/** Makes one attempt and records it with the delivery's new state. */
async function deliver(delivery: Delivery, dataKey: Buffer): Promise<void> {
  const { tenant_id, id, event_id, attempt_count, body, url, sealed_secret } = delivery;
  const webhook = await webhookOf(sealed_secret, dataKey);
  const startedAt = new Date();
  const headers = {
    "content-type": "application/json",
    "user-agent": "plain-webhooks/1",
    "webhook-id": event_id,
    "webhook-timestamp": String(Math.floor(startedAt.getTime() / 1000)),
    "webhook-signature": webhook.sign(event_id, startedAt, body.toString("utf8")),
  };
  const { statusCode, text, error } = await post(url, headers, body);
  const now = new Date();
  const status = error === null ? "succeeded" : "pending";
  const nextAt = error === null ? null : new Date(now.getTime() + RETRY_MS);
  const attempt = [
    tenant_id,
    id,
    attempt_count + 1,
    startedAt,
    now.getTime() - startedAt.getTime(),
    statusCode,
    error,
    text,
    url,
    JSON.stringify(headers),
  ];
  const end = [tenant_id, id, status, nextAt, statusCode, error, attempt_count];
  await inTransaction(pool, async (client) => {
    await client.query({ name: "insert attempt", text: INSERT_ATTEMPT, values: attempt });
    await client.query({ name: "end delivery", text: END_DELIVERY, values: end });
    return true;
  });
}

async function post(url: string, headers: Record<string, string>, body: Buffer) {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await request(url, { method: "POST", headers, body, signal, dispatcher: agent });
    const text = (await response.body.text()).slice(0, KEPT_CHARACTERS);
    const isGood = response.statusCode >= 200 && response.statusCode < 300;
    return { statusCode: response.statusCode, text, error: isGood ? null : "bad_status" };
  } catch {
    return { statusCode: null, text: "", error: "connection_failed" };
  }
}

/** Ours decrypts the secret for each attempt; here it is kept decrypted. */
async function webhookOf(sealedSecret: string, dataKey: Buffer): Promise<Webhook> {
  let found = webhooks.get(sealedSecret);
  if (!found) {
    found = compactDecrypt(sealedSecret, dataKey).then(
      ({ plaintext }) => new Webhook(Buffer.from(plaintext).toString()),
    );
    webhooks.set(sealedSecret, found);
  }
  return await found;
}
