import { expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const DAY_SECONDS = 86_400;
const PAYMENTS = 3;
const DELETED = 5000;

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const url = "http://localhost:3999/hook";

const waiting = "test_jobs.job WHERE state < 'active'";
const ended = "test.webhook_delivery WHERE status = 'failed' AND last_error = 'endpoint_disabled'";

/** Returns an endpoint for which attempts wait for a day, as its receiver asked for. */
async function withWaiting(merchant: Merchant): Promise<string> {
  const { endpoint } = await merchant.webhooks.createWebhookEndpoint({ url }, merchant.as);
  for (let count = 0; count < PAYMENTS; count++) await merchant.pay();
  const id = endpoint?.id ?? "";
  await rows.run(
    "UPDATE test_jobs.job SET start_after = now() + make_interval(secs => $2) WHERE group_id = $1",
    [id, DAY_SECONDS],
  );
  return id;
}

test("the deliveries that wait for deleted endpoints end, with their jobs, and no others", async () => {
  const merchant = await createMerchant(service);
  const other = await createMerchant(service);
  const id = await withWaiting(merchant);
  await withWaiting(other);
  await merchant.webhooks.deleteWebhookEndpoint({ id }, merchant.as);
  await service.core.tasks.endDeliveriesOfDeleted();
  expect([await rows.count(waiting), await rows.count(ended)]).toEqual([PAYMENTS, PAYMENTS]);
  expect(await rows.count(`${ended} AND endpoint_id = $1 AND next_attempt_at IS NULL`, [id])).toBe(PAYMENTS);
});

test("one that another transaction has locked ends later, and keeps no other tenant's", async () => {
  const merchants = [await createMerchant(service), await createMerchant(service)] as const;
  for (const merchant of merchants) {
    const id = await withWaiting(merchant);
    await merchant.webhooks.deleteWebhookEndpoint({ id }, merchant.as);
  }
  const before = await rows.count(waiting);
  const holder = await new DatabaseRows(service.databaseUrl).open();
  await holder.run("BEGIN");
  await holder.run("SELECT FROM test.webhook_delivery WHERE tenant_id = $1 FOR UPDATE", [
    merchants[0].tenant.id,
  ]);
  await service.core.tasks.endDeliveriesOfDeleted();
  expect(await rows.count(waiting)).toBe(before - PAYMENTS);
  await holder.close();
  await service.core.tasks.endDeliveriesOfDeleted();
  expect(await rows.count(waiting)).toBe(before - 2 * PAYMENTS);
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
