import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DeliveryStatus } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startReceiver, verified, type Receiver } from "../support/receiver.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
let worker: { stop(): Promise<void> };
let merchant: Merchant;
let receiver: Receiver;
beforeAll(async () => {
  service = await startService("direct", { delivery: { schedule: [0], timeoutMs: 1500 } });
  worker = service.core.startWorker();
  merchant = await createMerchant(service);
  receiver = await startReceiver();
});
afterAll(async () => {
  await worker.stop();
  await receiver.close();
  await service.close();
});

let count = 0;
async function newEndpoint(values: string[] = [], by = merchant) {
  count += 1;
  const path = `/${count}`;
  const url = new URL(path, receiver.url).href;
  const made = await by.webhooks.createWebhookEndpoint({ url, eventTypes: { values } }, by.as);
  const id = made.endpoint?.id ?? "";
  const got = () => receiver.received.filter((received) => received.path === path);
  const until = async (number: number) => await receiver.until(number, (received) => received.path === path);
  return { id, url, secret: made.secret, got, until };
}

async function sendTest(endpointId: string, by = merchant) {
  const { delivery } = await by.webhooks.sendTestEvent({ endpointId }, by.as);
  return { id: delivery?.id ?? "", eventId: delivery?.eventId ?? "" };
}

async function delivered(id: string) {
  const read = async () => (await merchant.webhooks.getDelivery({ id }, merchant.as)).delivery;
  await expect.poll(read, { timeout: 15_000 }).toMatchObject({ status: DeliveryStatus.SUCCEEDED });
  return await read();
}

describe("a test event", () => {
  test("goes to one endpoint only, even one that subscribes to other types", async () => {
    const [other, one] = [await newEndpoint(), await newEndpoint(["link.expired"])];
    const { id, eventId } = await sendTest(one.id);
    const [received] = await one.until(1);
    expect(received && verified(received, one.secret)).toEqual({
      id: eventId,
      type: "webhook.test",
      created: expect.any(Number),
      mode: "test",
      reference: null,
      data: {},
    });
    expect(await delivered(id)).toMatchObject({
      eventType: "webhook.test",
      endpointId: one.id,
      attemptCount: 1,
    });
    expect(await merchant.webhooks.getEvent({ id: eventId }, merchant.as)).toMatchObject({
      event: { type: "webhook.test", objectId: one.id, isInternal: false },
    });

    // Nor later: not by hand, not among all that it may have missed.
    await merchant.webhooks.resendEvent({ id: eventId }, merchant.as);
    await one.until(2);
    const toOther = merchant.webhooks.resendEvent({ id: eventId, endpointId: other.id }, merchant.as);
    expect(await refusalOf(toOther)).toMatchObject({ code: "invalid_request" });
    const since = { seconds: 0n, nanos: 0 };
    const missed = await merchant.webhooks.resendFailedEvents({ endpointId: other.id, since }, merchant.as);
    expect(missed.eventCount).toBe(0);
    expect(other.got()).toEqual([]);
  });

  test("is refused while the endpoint is disabled, and recorded nowhere", async () => {
    const { id, got } = await newEndpoint();
    await merchant.webhooks.disableWebhookEndpoint({ id }, merchant.as);
    const failure = await refusalOf(merchant.webhooks.sendTestEvent({ endpointId: id }, merchant.as));
    expect(failure).toMatchObject({ status: "InvalidArgument", code: "invalid_request" });
    expect(failure?.message).toContain("disabled");
    const { events } = await merchant.webhooks.listEvents({ objectId: id }, merchant.as);
    expect(events).toEqual([]);
    expect(got()).toEqual([]);
  });

  test("finds no endpoint of another tenant, of the other mode, or deleted", async () => {
    const { id } = await newEndpoint();
    const stranger = await createMerchant(service);
    const live = { headers: { ...merchant.as.headers, "paylink-mode": "live" } };
    for (const as of [stranger.as, live]) {
      const failure = await refusalOf(merchant.webhooks.sendTestEvent({ endpointId: id }, as));
      expect(failure).toMatchObject({ status: "NotFound", code: "webhook_endpoint_not_found" });
    }
    await merchant.webhooks.deleteWebhookEndpoint({ id }, merchant.as);
    const failure = await refusalOf(merchant.webhooks.sendTestEvent({ endpointId: id }, merchant.as));
    expect(failure?.code).toBe("webhook_endpoint_not_found");
  });
});

describe("the log of deliveries", () => {
  test("keeps what each attempt sent where, and what a receiver checks it by", async () => {
    const { id, url, secret, until } = await newEndpoint();
    const { id: deliveryId } = await sendTest(id);
    const [received] = await until(1);
    await delivered(deliveryId);
    const { attempts } = await merchant.webhooks.listDeliveryAttempts({ deliveryId }, merchant.as);
    expect(attempts).toHaveLength(1);
    expect(attempts[0]).toMatchObject({ requestUrl: url, statusCode: 200, responseBody: "ok" });
    const headers = attempts[0]?.requestHeaders ?? {};
    expect(Object.keys(headers)).toEqual([
      "content-type",
      "user-agent",
      "webhook-id",
      "webhook-timestamp",
      "webhook-signature",
    ]);
    expect(received?.headers).toMatchObject(headers);
    expect(received && verified({ ...received, headers }, secret)).toMatchObject({
      type: "webhook.test",
    });
  });

  test("is narrowed by type and time, newest first, with a cursor", async () => {
    const own = await createMerchant(service);
    const { id, until } = await newEndpoint(["payment.succeeded"], own);
    await own.pay();
    const tests = [await sendTest(id, own), await sendTest(id, own)];
    await until(3);
    const list = async (filter: object) => {
      const { deliveries, hasMore } = await own.webhooks.listDeliveries(filter, own.as);
      return { ids: deliveries.map((delivery) => delivery.id), hasMore };
    };
    const newest = tests.map((sent) => sent.id).toReversed();
    expect(await list({ eventType: "webhook.test" })).toEqual({ ids: newest, hasMore: false });
    expect(await list({ eventType: "webhook.test", limit: 1 })).toEqual({
      ids: newest.slice(0, 1),
      hasMore: true,
    });
    expect(await list({ eventType: "webhook.test", startingAfter: newest[0] })).toMatchObject({
      ids: newest.slice(1),
    });
    expect((await list({ eventType: "payment.succeeded", endpointId: id })).ids).toHaveLength(1);
    const now = Math.floor(service.clock.nowMs() / 1000);
    expect((await list({ since: { seconds: BigInt(now - 60), nanos: 0 } })).ids).toHaveLength(3);
    expect((await list({ since: { seconds: BigInt(now + 60), nanos: 0 } })).ids).toEqual([]);
  });

  test("is the tenant's own", async () => {
    const { id: endpointId } = await newEndpoint();
    const { id } = await sendTest(endpointId);
    const stranger = await createMerchant(service);
    for (const ask of [
      () => stranger.webhooks.getDelivery({ id }, stranger.as),
      () => stranger.webhooks.resendDeliveries({ deliveryIds: [id] }, stranger.as),
    ]) {
      expect(await refusalOf(ask())).toMatchObject({ status: "NotFound", code: "delivery_not_found" });
    }
  });
});

describe("deliveries that are made again", () => {
  test("are those that were picked, each to its own endpoint; a disabled or deleted one is left out", async () => {
    const [one, two, gone] = [await newEndpoint(), await newEndpoint(), await newEndpoint()];
    const picked = [await sendTest(one.id), await sendTest(two.id), await sendTest(gone.id)];
    await sendTest(one.id);
    await Promise.all([one.until(2), two.until(1), gone.until(1)]);
    for (const { id } of picked) await delivered(id);
    await merchant.webhooks.deleteWebhookEndpoint({ id: gone.id }, merchant.as);
    const deliveryIds = picked.map(({ id }) => id);
    expect(await merchant.webhooks.resendDeliveries({ deliveryIds }, merchant.as)).toMatchObject({
      deliveryCount: 2,
      leftOutCount: 1,
    });
    await one.until(3);
    const same = one.got().filter(({ eventId }) => eventId === picked[0]?.eventId);
    expect(same.map(({ text }) => text)).toEqual([same[0]?.text, same[0]?.text]);
    await two.until(2);
    expect(gone.got()).toHaveLength(1);
  });

  test("are none when one of them is unknown", async () => {
    const { id: endpointId, until, got } = await newEndpoint();
    const { id } = await sendTest(endpointId);
    await until(1);
    const before = await delivered(id);
    const deliveryIds = [id, "dlv_nothing"];
    const failure = await refusalOf(merchant.webhooks.resendDeliveries({ deliveryIds }, merchant.as));
    expect(failure?.code).toBe("delivery_not_found");
    expect(await delivered(id)).toEqual(before);
    expect(got()).toHaveLength(1);
  });

  test.each([[[]], [["dlv_a", "dlv_a"]], [Array.from({ length: 101 }, (_, index) => `dlv_${index}`)]])(
    "are 1 to 100, none twice: %#",
    async (deliveryIds) => {
      const failure = await refusalOf(merchant.webhooks.resendDeliveries({ deliveryIds }, merchant.as));
      expect(failure).toMatchObject({ code: "invalid_request" });
    },
  );
});
