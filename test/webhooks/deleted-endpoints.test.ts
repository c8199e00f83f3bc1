import { expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { OF_PAYMENTS, startReceiver } from "../support/receiver.ts";
import { startService } from "../support/service.ts";

const PAYMENTS = 3;
const DELETED = 5000;

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const url = "http://localhost:3999/hook";

test("the deliveries that wait for a deleted endpoint end at their next attempt, and no others", async () => {
  const merchant = await createMerchant(service);
  const receiver = await forFile(startReceiver());
  const { endpoint } = await merchant.webhooks.createWebhookEndpoint(
    { url: receiver.url, eventTypes: OF_PAYMENTS },
    merchant.as,
  );
  const kept = await merchant.webhooks.createWebhookEndpoint(
    { url: receiver.url, eventTypes: OF_PAYMENTS },
    merchant.as,
  );
  for (let count = 0; count < PAYMENTS; count++) await merchant.pay();
  await merchant.webhooks.deleteWebhookEndpoint({ id: endpoint?.id ?? "" }, merchant.as);
  const worker = service.core.startWorker();
  const count = async (status: string, id = "") =>
    await rows.count("test.webhook_delivery WHERE status = $1 AND endpoint_id = $2", [status, id]);
  await expect.poll(async () => await count("succeeded", kept.endpoint?.id)).toBe(PAYMENTS);
  await expect.poll(async () => await count("failed", endpoint?.id)).toBe(PAYMENTS);
  await worker.stop();
  expect(receiver.received).toHaveLength(PAYMENTS);
});

/** How many rows of endpoints this connection has read, and entries of their indexes. */
async function readCount(): Promise<number> {
  await rows.run("SELECT pg_stat_force_next_flush()");
  return await rows.count(
    `generate_series(1, (SELECT seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes i WHERE i.relid = t.relid)
      FROM pg_stat_user_tables t WHERE schemaname = 'test' AND relname = 'webhook_endpoint')::int)`,
  );
}

test(`an event reads none of ${DELETED} endpoints that its tenant has deleted`, async () => {
  const merchant = await createMerchant(service);
  const { endpoint } = await merchant.webhooks.createWebhookEndpoint({ url }, merchant.as);
  await rows.run(
    `INSERT INTO test.webhook_endpoint (tenant_id, id, url, event_types, status, sealed_secret, former_secrets, created_at, deleted_at)
      SELECT tenant_id, id || number, url, event_types, status, sealed_secret, former_secrets, created_at, now()
      FROM test.webhook_endpoint, generate_series(1, $2::int) AS number WHERE id = $1`,
    [endpoint?.id, DELETED],
  );
  await merchant.webhooks.deleteWebhookEndpoint({ id: endpoint?.id ?? "" }, merchant.as);
  const before = await readCount();
  await rows.run(
    `INSERT INTO test.event (tenant_id, id, type, is_internal, object_id, body, created_at)
      VALUES ($1, 'evt_1', 'payment.succeeded', false, 'pay_1', '{}', now())`,
    [merchant.tenant.id],
  );
  expect((await readCount()) - before).toBeLessThan(DELETED);
});
