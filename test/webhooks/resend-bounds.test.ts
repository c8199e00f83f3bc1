import { createClient } from "@connectrpc/connect";
import pg from "pg";
import { expect, test } from "vitest";
import { WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { secondService, startService } from "../support/service.ts";

// There is no worker: a delivery waits as it was made.
const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const since = { seconds: 0n, nanos: 0 };

/** A merchant with an endpoint whose deliveries of this many events failed, and with events of the time without it. */
async function failing(failedCount: number, unsentCount = 0): Promise<{ merchant: Merchant; id: string }> {
  const merchant = await createMerchant(service);
  const values = [merchant.tenant.id, failedCount + unsentCount, new Date(service.clock.nowMs())];
  await rows.run(
    `INSERT INTO test.event (tenant_id, id, type, is_internal, object_id, body, created_at)
      SELECT $1, 'evt_' || lpad(n::text, 26, '0'), 'payment.succeeded', false, 'pay_1', '{}', $3
      FROM generate_series(1, $2::int) AS n`,
    values,
  );
  const { endpoint } = await merchant.webhooks.createWebhookEndpoint(
    { url: "http://localhost:3999/hook" },
    merchant.as,
  );
  const id = endpoint?.id ?? "";
  await rows.run(
    `INSERT INTO test.webhook_delivery (tenant_id, id, event_id, endpoint_id, status, round, round_attempt_count,
        attempt_count, created_at)
      SELECT tenant_id, 'dlv' || substr(id, 4), id, $2, 'failed', 1, 10, 10, created_at FROM test.event
      WHERE tenant_id = $1 ORDER BY id LIMIT $3`,
    [merchant.tenant.id, id, failedCount],
  );
  return { merchant, id };
}

const roundsOf = async ({ tenant }: Merchant): Promise<unknown[]> =>
  await rows.read(
    `SELECT status, round, count(*)::int FROM test.webhook_delivery WHERE tenant_id = $1 GROUP BY 1, 2 ORDER BY 1, 2`,
    [tenant.id],
  );

test("what failed is sent again once, however many ask for it at the same time in two processes", async () => {
  const { merchant, id: endpointId } = await failing(1200);
  const second = await secondService(service);
  const there = createClient(WebhooksService, second.core.transport);
  const asked = Array.from({ length: 12 }, async (_, index) => {
    const client = index % 2 === 0 ? merchant.webhooks : there;
    return (await client.resendFailedEvents({ endpointId, since }, merchant.as)).eventCount;
  });
  expect((await Promise.all(asked)).reduce((sum, count) => sum + count)).toBe(1200);
  expect(await roundsOf(merchant)).toEqual([{ status: "pending", round: 2, count: 1200 }]);
  await second.close();
});

test("what another transaction changes is not waited for", async () => {
  const { merchant, id: endpointId } = await failing(30);
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  await client.query("BEGIN");
  await client.query(
    "SELECT FROM test.webhook_delivery WHERE tenant_id = $1 ORDER BY id LIMIT 10 FOR UPDATE",
    [merchant.tenant.id],
  );
  const request = { endpointId, since };
  expect(await merchant.webhooks.resendFailedEvents(request, merchant.as)).toMatchObject({ eventCount: 20 });
  await client.end();
  expect(await merchant.webhooks.resendFailedEvents(request, merchant.as)).toMatchObject({ eventCount: 10 });
});

test("events that an endpoint was not sent are found behind any number of others, and sent once", async () => {
  const { merchant, id: endpointId } = await failing(0, 1700);
  const request = { endpointId, since };
  expect(await merchant.webhooks.resendFailedEvents(request, merchant.as)).toMatchObject({
    eventCount: 1700,
  });
  expect(await merchant.webhooks.resendFailedEvents(request, merchant.as)).toMatchObject({ eventCount: 0 });
  expect(await roundsOf(merchant)).toEqual([{ status: "pending", round: 1, count: 1700 }]);
});

test("a delivery that waits for its attempt keeps its round, by its id or by its event's", async () => {
  const { merchant } = await failing(1);
  const { deliveries } = await merchant.webhooks.listDeliveries({}, merchant.as);
  const [{ id, eventId } = { id: "", eventId: "" }] = deliveries;
  for (let count = 0; count < 5; count++) {
    const { deliveryCount } = await merchant.webhooks.resendDeliveries({ deliveryIds: [id] }, merchant.as);
    expect(deliveryCount).toBe(1);
    const again = await merchant.webhooks.resendEvent({ id: eventId }, merchant.as);
    expect(again.deliveries).toMatchObject([{ id }]);
  }
  expect(await roundsOf(merchant)).toEqual([{ status: "pending", round: 2, count: 1 }]);
});

test("a retry that is not due yet is due at once when its delivery is sent again", async () => {
  const { merchant } = await failing(1);
  const { deliveries } = await merchant.webhooks.listDeliveries({}, merchant.as);
  const deliveryIds = deliveries.map(({ id }) => id);
  await merchant.webhooks.resendDeliveries({ deliveryIds }, merchant.as);
  await rows.run(
    "UPDATE test.webhook_delivery SET next_attempt_at = next_attempt_at + interval '1 hour' WHERE tenant_id = $1",
    [merchant.tenant.id],
  );
  await merchant.webhooks.resendDeliveries({ deliveryIds }, merchant.as);
  const found = await rows.read(
    "SELECT round, next_attempt_at <= $2 AS due FROM test.webhook_delivery WHERE tenant_id = $1",
    [merchant.tenant.id, new Date(service.clock.nowMs())],
  );
  expect(found).toEqual([{ round: 3, due: true }]);
});
