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

test("the events of a link are its own and those of its payments, by the API and by the RPC, newest first", async () => {
  const { api, webhooks, as } = merchant;
  const linkId = await merchant.newLink({ campaign: true, expires_in: 60 });
  const first = (await merchant.simulate(linkId, { outcome: "failed" })).body.id;
  const second = (await merchant.simulate(linkId)).body.id;
  await merchant.pay();
  service.clock.advance(60);
  await service.core.tasks.expireLinks();
  const { events } = await webhooks.listEvents({ objectId: linkId }, as);
  expect(events.map(({ type, objectId }) => [type, objectId])).toEqual([
    ["link.expired", linkId],
    ["payment.succeeded", second],
    ["payment.failed", first],
    ["link.created", linkId],
  ]);
  const ids = events.map(({ id }) => id);
  const listed = async (query: string): Promise<string[]> => {
    const { body } = await api.get(`/v1/events?object_id=${linkId}&${query}`);
    return body.data.map(({ id }: { id: string }) => id);
  };
  expect(await listed("")).toEqual(ids);
  expect(await listed("type=payment.failed")).toEqual([ids[2]]);
  expect(await listed(`limit=1&starting_after=${ids[0]}`)).toEqual([ids[1]]);
  const other = await createMerchant(service);
  expect((await other.webhooks.listEvents({ objectId: linkId }, other.as)).events).toEqual([]);
});
