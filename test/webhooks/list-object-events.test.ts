import { expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startReceiver } from "../support/receiver.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);
const receiver = await forFile(startReceiver());
await merchant.webhooks.createWebhookEndpoint({ url: receiver.url }, merchant.as);
const paid = (await merchant.pay()).body.id;
const failed = (await merchant.pay({}, { outcome: "failed" })).body.id;

test("the events of several payments are listed newest first, each with the deliveries that ListDeliveries has", async () => {
  const { webhooks, as } = merchant;
  const { events } = await webhooks.listObjectEvents({ objectIds: [paid, failed] }, as);
  const singly = await Promise.all(
    [failed, paid].map(async (objectId) => (await webhooks.listEvents({ objectId }, as)).events),
  );
  expect(events.map(({ event }) => event)).toEqual(singly.flat());
  expect(events.map(({ event }) => event?.type)).toEqual(["payment.failed", "payment.succeeded"]);
  for (const { event, deliveries } of events) {
    const listed = await webhooks.listDeliveries({ eventId: event?.id ?? "" }, as);
    expect(deliveries).toEqual(listed.deliveries);
    expect(deliveries).toHaveLength(1);
  }
});

test("the limit holds for each object, and unknown ids have no events", async () => {
  const objectIds = [paid, failed, "pay_unknown"];
  const { events } = await merchant.webhooks.listObjectEvents({ objectIds, limit: 1 }, merchant.as);
  expect(events.map(({ event }) => event?.objectId)).toEqual([failed, paid]);
});

test("another tenant's objects have no events", async () => {
  const other = await createMerchant(service);
  expect((await other.webhooks.listObjectEvents({ objectIds: [paid] }, other.as)).events).toEqual([]);
});

test.each([
  [[], "object_ids must be a list of 1 to 20 entries"],
  [Array.from({ length: 21 }, (_, index) => `pay_${index}`), "object_ids must be a list of 1 to 20 entries"],
  [["pay_1", "pay_1"], "object_ids must not have an entry twice"],
])("the ids %j are refused with invalid_request", async (objectIds, message) => {
  await expect(merchant.webhooks.listObjectEvents({ objectIds }, merchant.as)).rejects.toThrow(message);
});
