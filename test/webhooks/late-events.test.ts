import { describe, expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const blocker = await forFile(new DatabaseRows(service.databaseUrl).open());
const url = "http://localhost:3999/hook";

const waiting = "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
const deliveriesTo = async (endpointId: string): Promise<number> =>
  await rows.count("test.webhook_delivery WHERE endpoint_id = $1", [endpointId]);

/** Does something while a payment has been decided and waits for its commit. Returns what it did. */
async function beforeCommit<T>(merchant: Merchant, change: () => Promise<T>): Promise<T> {
  const link = await merchant.newLink({ campaign: true });
  await blocker.run("BEGIN");
  await blocker.run("SELECT FROM test.payment_link WHERE id = $1 FOR UPDATE", [link]);
  const paid = merchant.simulate(link);
  await expect.poll(async () => await rows.count(waiting)).toBe(1);
  const done = await change();
  await blocker.run("COMMIT");
  expect((await paid).status).toBe(200);
  return done;
}

async function newEndpoint(merchant: Merchant, event_types: readonly string[] = []): Promise<string> {
  const eventTypes = { values: [...event_types] };
  const { endpoint } = await merchant.webhooks.createWebhookEndpoint({ url, eventTypes }, merchant.as);
  return endpoint?.id ?? "";
}

describe.each([0, 1])("an event that was decided before, beside %i other endpoints", (others) => {
  async function withOthers(): Promise<Merchant> {
    const merchant = await createMerchant(service);
    for (let count = 0; count < others; count++) await newEndpoint(merchant);
    return merchant;
  }

  test("goes to an endpoint that was made before its commit", async () => {
    const merchant = await withOthers();
    const id = await beforeCommit(merchant, async () => await newEndpoint(merchant));
    expect(await deliveriesTo(id)).toBe(1);
  });

  test("goes to an endpoint that was enabled before its commit", async () => {
    const merchant = await withOthers();
    const id = await newEndpoint(merchant);
    await merchant.webhooks.disableWebhookEndpoint({ id }, merchant.as);
    await beforeCommit(
      merchant,
      async () => await merchant.webhooks.enableWebhookEndpoint({ id }, merchant.as),
    );
    expect(await deliveriesTo(id)).toBe(1);
  });

  test("goes to an endpoint that takes its type since before its commit, and to no other", async () => {
    const merchant = await withOthers();
    const id = await newEndpoint(merchant, ["payment.failed"]);
    const eventTypes = { values: ["payment.succeeded"] };
    const other = await newEndpoint(merchant, ["link.expired"]);
    await beforeCommit(
      merchant,
      async () => await merchant.webhooks.updateWebhookEndpoint({ id, eventTypes }, merchant.as),
    );
    expect([await deliveriesTo(id), await deliveriesTo(other)]).toEqual([1, 0]);
  });
});

test("an endpoint is made, and enabled, after the events that are being committed without it", async () => {
  const merchant = await createMerchant(service);
  const id = await newEndpoint(merchant);
  await merchant.webhooks.disableWebhookEndpoint({ id }, merchant.as);
  await blocker.run("BEGIN");
  await blocker.run(
    `INSERT INTO test.event (tenant_id, id, type, is_internal, object_id, body, created_at)
      VALUES ($1, 'evt_1', 'payment.succeeded', false, 'pay_1', '{}', now())`,
    [merchant.tenant.id],
  );
  let ended = 0;
  const changes = [newEndpoint(merchant), merchant.webhooks.enableWebhookEndpoint({ id }, merchant.as)].map(
    (change) => change.finally(() => ended++),
  );
  await expect.poll(async () => await rows.count(waiting)).toBe(changes.length);
  expect(ended).toBe(0);
  await blocker.run("COMMIT");
  await Promise.all(changes);
  expect(await rows.count("test.webhook_delivery WHERE event_id = 'evt_1'")).toBe(0);
});
