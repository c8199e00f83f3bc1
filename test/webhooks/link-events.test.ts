import { afterAll, expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startReceiver, verified, type Receiver } from "../support/receiver.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await createMerchant(service);
const receiver = await forFile(startReceiver());
const { secret } = await merchant.webhooks.createWebhookEndpoint({ url: receiver.url }, merchant.as);
const worker = service.core.startWorker();
afterAll(async () => await worker.stop());

/** Waits for so many events of an object, and returns what their bodies say, in the order of their ids. */
async function eventsOf(objectId: string, count: number, from: Receiver = receiver) {
  const found = await from.until(count, ({ text }) => text.includes(objectId));
  const ids = new Map(found.map((received) => [received.eventId, received]));
  return [...ids.keys()].toSorted().map((id) => verified(ids.get(id) as never, secret));
}

const shown = async (linkId: string) => (await merchant.api.get(`/v1/payment_links/${linkId}`)).body;

/** Returns the link as its events have it: without what answers add. */
function ownFields({ campaign, quote_id, payment_intent_id, updated_at, ...own }: Record<string, unknown>) {
  expect([campaign, quote_id, payment_intent_id, updated_at]).not.toContain(undefined);
  return own;
}

test("a link made over REST has link.created, with the bytes of the answer", async () => {
  const link = { amount: 15_990, currency: "BRL", reference: "order-1", metadata: { a: 1 } };
  const { body, text } = await merchant.api.post("/v1/payment_links", link);
  const [event, more] = await eventsOf(body.id, 1);
  expect(more).toBeUndefined();
  expect(event).toEqual({
    id: expect.stringMatching(/^evt_/),
    type: "link.created",
    created: expect.any(Number),
    mode: "test",
    reference: "order-1",
    data: { payment_link: ownFields(body) },
  });
  const [received] = await receiver.until(1, ({ text: sent }) => sent.includes(body.id));
  const own = text.slice(0, text.indexOf(',"campaign":'));
  expect(received?.text).toContain(`"data":{"payment_link":${own}`);
});

test("a link made of a quote has link.created, with the link as GET shows it", async () => {
  const quote = { amount: 15_990, currency: "BRL", payment_method: "pix" };
  const { body } = await merchant.api.post("/v1/quotes", quote);
  const accepted = await merchant.api.post(`/v1/quotes/${body.id}/accept`, {
    name: "Shoes",
    reference: "q-1",
  });
  const [event] = await eventsOf(accepted.body.id, 1);
  expect([event.type, event.reference]).toEqual(["link.created", "q-1"]);
  expect(await shown(accepted.body.id)).toMatchObject(event.data.payment_link);
});

test("a creation that is sent again has one event", async () => {
  const body = { amount: 15_990, currency: "BRL" };
  const same = { idempotencyKey: "created-once" };
  const { body: link } = await merchant.api.post("/v1/payment_links", body, same);
  await Promise.all([1, 2].map(async () => await merchant.api.post("/v1/payment_links", body, same)));
  expect(await rows.count("test.event WHERE object_id = $1", [link.id])).toBe(1);
});

test("a simulated success of a single link has link.completed in the payment's commit; a campaign's has none", async () => {
  const linkId = await merchant.newLink({ reference: "order-2" });
  const { body: payment } = await merchant.simulate(linkId);
  const events = await eventsOf(linkId, 3);
  expect(events.map(({ type }) => type)).toEqual(["link.created", "payment.succeeded", "link.completed"]);
  expect(events[2]).toMatchObject({ reference: "order-2" });
  expect(await shown(linkId)).toMatchObject(events[2].data.payment_link);
  expect(events[2].data.payment_link.status).toBe("completed");
  expect(
    await rows.count(
      `(SELECT DISTINCT xmin::text FROM test.event WHERE object_id = ANY ($1) AND type <> 'link.created') AS commits`,
      [[linkId, payment.id]],
    ),
  ).toBe(1);

  const campaign = await merchant.newLink({ campaign: true });
  await merchant.simulate(campaign);
  expect((await eventsOf(campaign, 2)).map(({ type }) => type)).toEqual([
    "link.created",
    "payment.succeeded",
  ]);
});

test("a failed simulation, final at once, has no payment.pending and leaves the link as it is", async () => {
  const linkId = await merchant.newLink();
  await merchant.simulate(linkId, { outcome: "failed" });
  const types = (await eventsOf(linkId, 2)).map(({ type }) => type);
  expect(types).toEqual(["link.created", "payment.failed"]);
});

test("a Pix on the page has payment.pending when it starts, then its success and link.completed", async () => {
  const linkId = await merchant.newLink({ reference: "order-3" });
  await new Payer(service, linkId).payByPix();
  const events = await eventsOf(linkId, 4);
  expect(events.map(({ type }) => type)).toEqual([
    "link.created",
    "payment.pending",
    "payment.succeeded",
    "link.completed",
  ]);
  const [, pending, succeeded] = events;
  expect(pending).toMatchObject({ reference: "order-3", data: { payment: { status: "pending" } } });
  const { updated_at: _updated, status: _status, ...before } = pending.data.payment;
  expect(succeeded.data.payment).toMatchObject(before);
});

test("a cancel has link.deactivated, again after a reactivation, and none when the link is canceled already", async () => {
  const linkId = await merchant.newLink();
  const path = `/v1/payment_links/${linkId}`;
  for (const step of ["cancel", "cancel", "reactivate", "cancel"]) {
    expect((await merchant.api.post(`${path}/${step}`, {})).status).toBe(200);
  }
  const events = await eventsOf(linkId, 3);
  expect(events.map(({ type }) => type)).toEqual(["link.created", "link.deactivated", "link.deactivated"]);
  const { body } = await merchant.api.post(`${path}/cancel`, {});
  expect(events[2].data).toEqual({ payment_link: ownFields(body) });
});

test("a Pix from before its link's cancellation completes it when it is reported, with its event", async () => {
  const linkId = await merchant.newLink();
  const payer = new Payer(service, linkId);
  await payer.open();
  const { paymentId } = await payer.start();
  const paidAt = new Date(service.clock.nowMs());
  service.clock.advance(5);
  await merchant.api.post(`/v1/payment_links/${linkId}/cancel`, {});
  await payer.receipt(paymentId.replace("_", ""), 15_990n, "E2E-late", paidAt);
  const types = (await eventsOf(linkId, 5)).map(({ type }) => type);
  expect(types.slice(0, 3)).toEqual(["link.created", "payment.pending", "link.deactivated"]);
  expect(types.slice(3)).toEqual(["payment.succeeded", "link.completed"]);
});
