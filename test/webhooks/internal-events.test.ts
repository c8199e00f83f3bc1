import { lookup } from "node:dns";
import { afterAll, expect, test } from "vitest";
import { messageWriter } from "../../gateway/transcode/message-writer.ts";
import { openEnvironment } from "../../src/platform/db/database.ts";
import { Operations } from "../../src/platform/rpc/operation.ts";
import { Encryption } from "../../src/platform/db/encryption.ts";
import { webhooksEntities } from "../../src/webhooks/entities.ts";
import { Webhooks } from "../../src/webhooks/service.ts";
import { DATA_KEY } from "../support/core-options.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { OF_PAYMENTS, startReceiver } from "../support/receiver.ts";
import { startService } from "../support/service.ts";

// The room by itself: what records these events comes with the hosted page.
const service = await forFile(startService());
const merchant = await createMerchant(service);
const { databaseUrl: url, clock } = service;
const environment = await openEnvironment({ url, schema: "test", entities: webhooksEntities, poolMax: 2 });
afterAll(async () => await environment.orm.close(true));
const environments = { test: environment, live: environment };
const webhooks = new Webhooks({
  clock,
  environments,
  operations: new Operations({ clock, environments, requireTenant: () => undefined }),
  encryption: await Encryption.forDatabase(environment.pool, DATA_KEY),
  policies: { test: { isLoopbackAllowed: true }, live: { isLoopbackAllowed: false } },
  lookup,
  jsonWriter: messageWriter,
});

test("payment.fees_acknowledged is recorded and never sent, not even by hand", async () => {
  const receiver = await startReceiver();
  const { endpoint } = await merchant.webhooks.createWebhookEndpoint(
    { url: receiver.url, eventTypes: OF_PAYMENTS },
    merchant.as,
  );
  const { body } = await merchant.pay({ fee_handling: "pass_through", reference: "order-1" });
  const content = {
    type: "payment.fees_acknowledged",
    objectId: body.id,
    reference: "order-1",
    data: {},
  } as const;
  const changes = webhooks.recordEvents({ tenantId: merchant.tenant.id, mode: "test" }, content);
  await environment.committer.commit(changes, undefined);

  const { events } = await merchant.webhooks.listEvents({ objectId: body.id }, merchant.as);
  expect(events.map(({ type, isInternal }) => [type, isInternal])).toEqual([
    ["payment.fees_acknowledged", true],
    ["payment.succeeded", false],
  ]);
  const id = events[0]?.id ?? "";
  const shown = await merchant.api.get(`/v1/events?object_id=${body.id}`);
  expect(shown.body.data.map(({ type }: { type: string }) => type)).toEqual(["payment.succeeded"]);
  expect((await merchant.api.get(`/v1/events/${id}`)).body.error.code).toBe("event_not_found");
  await expect(merchant.webhooks.resendEvent({ id }, merchant.as)).rejects.toThrow("internal");
  const worker = service.core.startWorker();
  await receiver.until(1);
  const since = { seconds: 0n, nanos: 0 };
  const again = { endpointId: endpoint?.id ?? "", since };
  await merchant.webhooks.resendFailedEvents(again, merchant.as);
  await worker.stop();
  const rows = await new DatabaseRows(service.databaseUrl).open();
  expect(await rows.count("test.webhook_delivery WHERE event_id = $1", [id])).toBe(0);
  await rows.close();
  expect(receiver.received.map(({ text }) => JSON.parse(text).type)).toEqual(["payment.succeeded"]);
  await receiver.close();
});

test("an Idempotency-Key brings the same secret again, and what is stored of it is encrypted", async () => {
  const as = { headers: { ...merchant.as.headers, "idempotency-key": "same" } };
  const request = { url: "https://93.184.215.14/" };
  const made = [
    await merchant.webhooks.createWebhookEndpoint(request, as),
    await merchant.webhooks.createWebhookEndpoint(request, as),
  ];
  expect(new Set(made.map(({ secret }) => secret)).size).toBe(1);
  const rows = await new DatabaseRows(service.databaseUrl).open();
  const stored = "test.idempotency WHERE key = 'same' AND response IS NOT NULL";
  expect(await rows.count(stored)).toBe(1);
  const readable = `${stored} AND position(convert_to($1, 'UTF8') IN response) > 0`;
  expect(await rows.count(readable, [made[0]?.secret])).toBe(0);
  await rows.close();
});

test("attempts older than 30 days are removed, deliveries and events stay", async () => {
  const receiver = await startReceiver();
  const { endpoint } = await merchant.webhooks.createWebhookEndpoint(
    { url: receiver.url, eventTypes: OF_PAYMENTS },
    merchant.as,
  );
  const endpointId = endpoint?.id ?? "";
  const worker = service.core.startWorker();
  await merchant.pay();
  await receiver.until(1);
  await worker.stop();
  const [delivery] = (await merchant.webhooks.listDeliveries({ endpointId }, merchant.as)).deliveries;
  const attempts = async () =>
    (await merchant.webhooks.listDeliveryAttempts({ deliveryId: delivery?.id ?? "" }, merchant.as)).attempts;
  service.clock.advance(30 * 86_400 - 60);
  await service.core.tasks.removePast();
  expect(await attempts()).toHaveLength(1);
  service.clock.advance(61);
  await service.core.tasks.removePast();
  expect(await attempts()).toEqual([]);
  expect((await merchant.webhooks.listDeliveries({ endpointId }, merchant.as)).deliveries).toHaveLength(1);
  await receiver.close();
});
