import { afterAll, describe, expect, test } from "vitest";
import { DeliveryStatus, type Event } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startReceiver, verified } from "../support/receiver.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);
const receiver = await forFile(startReceiver());
const { secret } = await merchant.webhooks.createWebhookEndpoint({ url: receiver.url }, merchant.as);
const worker = service.core.startWorker();
afterAll(async () => await worker.stop());

const about = (objectId: string) => (received: { text: string }) => received.text.includes(objectId);

/** Those of the events that tell of a payment of this link. */
const paymentsOf = (linkId: string, events: readonly Event[]): Event[] =>
  events.filter(
    ({ type, body }) => type.startsWith("payment.") && new TextDecoder().decode(body).includes(linkId),
  );

/** The bytes of the object inside a webhook's body. */
function objectBytes(text: string, name: "payment" | "payment_link"): string {
  const from = text.indexOf(`"data":{"${name}":`) + `"data":{"${name}":`.length;
  const rest = text.slice(from);
  let depth = 0;
  let isText = false;
  for (let index = 0; index < rest.length; index++) {
    const character = rest[index];
    if (isText) {
      if (character === "\\") index++;
      else if (character === '"') isText = false;
    } else if (character === '"') isText = true;
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) return rest.slice(0, index + 1);
  }
  throw new Error("no object");
}

describe("payment.succeeded", () => {
  test("carries the Payment byte for byte as GET answers it, with reference, signed by the endpoint's secret", async () => {
    const link = { reference: "order-1", metadata: { a: [1, "é\u0001"] }, currency: "USD", amount: 9_900 };
    const { body: payment } = await merchant.pay(link);
    const [received] = await receiver.until(1, about(payment.id));
    const event = verified(received as never, secret);
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
      type: "payment.succeeded",
      created: expect.any(Number),
      mode: "test",
      reference: "order-1",
      data: { payment },
    });
    expect(received?.headers["webhook-id"]).toBe(event.id);
    expect(received?.headers["content-type"]).toBe("application/json");
    const { text } = await merchant.api.get(`/v1/payments/${payment.id}`);
    expect(objectBytes(received?.text ?? "", "payment")).toBe(text);
    expect(payment.fx.rate).toBe(5.513582);
  });

  test("reference is null when the link has none", async () => {
    const { body: payment } = await merchant.pay();
    const [received] = await receiver.until(1, about(payment.id));
    expect(verified(received as never, secret).reference).toBeNull();
  });
});

describe("payment.failed", () => {
  test.each([
    ["failed", "pix", "pix_rejected"],
    ["failed", "card", "card_declined"],
    ["expired", "pix", "pix_expired"],
    ["expired", "card", "payment_declined"],
  ])("outcome %s by %s carries decline_code %s", async (outcome, payment_method, decline_code) => {
    const { body: payment } = await merchant.pay({ reference: "order-2" }, { outcome, payment_method });
    const [received] = await receiver.until(1, about(payment.id));
    const event = verified(received as never, secret);
    expect(event).toMatchObject({ type: "payment.failed", reference: "order-2" });
    expect(event.data).toEqual({ payment, decline_code });
    const { text } = await merchant.api.get(`/v1/payments/${payment.id}`);
    expect(objectBytes(received?.text ?? "", "payment")).toBe(text);
  });
});

describe("what has an event, and who receives it", () => {
  test("a refused simulation has none", async () => {
    const link = await merchant.newLink();
    await merchant.simulate(link);
    const refused = await merchant.simulate(link);
    expect(refused.status).toBe(400);
    const { events } = await merchant.webhooks.listEvents({ limit: 100 }, merchant.as);
    expect(paymentsOf(link, events)).toHaveLength(1);
  });

  test("a replayed simulation has one", async () => {
    const link = await merchant.newLink();
    const path = `/v1/payment_links/${link}/simulate_payment`;
    for (let time = 0; time < 3; time++) {
      await merchant.api.post(path, { outcome: "succeeded" }, { idempotencyKey: `replayed-${link}` });
    }
    const { events } = await merchant.webhooks.listEvents({ limit: 100 }, merchant.as);
    expect(paymentsOf(link, events)).toHaveLength(1);
  });

  test("an endpoint receives the types that it chose and no other", async () => {
    const chosen = await startReceiver();
    const eventTypes = { values: ["payment.failed"] };
    const { endpoint } = await merchant.webhooks.createWebhookEndpoint(
      { url: chosen.url, eventTypes },
      merchant.as,
    );
    await merchant.pay();
    const { body: failed } = await merchant.pay({}, { outcome: "failed" });
    await chosen.until(1);
    expect(chosen.received.map(({ text }) => JSON.parse(text).data.payment.id)).toEqual([failed.id]);
    const { deliveries } = await merchant.webhooks.listDeliveries(
      { endpointId: endpoint?.id ?? "" },
      merchant.as,
    );
    expect(deliveries.map(({ eventType }) => eventType)).toEqual(["payment.failed"]);
    await merchant.webhooks.deleteWebhookEndpoint({ id: endpoint?.id ?? "" }, merchant.as);
    await chosen.close();
  });

  test("an endpoint receives no event of another tenant or mode", async () => {
    const other = await createMerchant(service);
    const { body: payment } = await other.pay();
    const { body: own } = await merchant.pay();
    await receiver.until(1, about(own.id));
    expect(receiver.received.filter(about(payment.id))).toEqual([]);
    const [event] = (await other.webhooks.listEvents({}, other.as)).events;
    await expect(merchant.webhooks.getEvent({ id: event?.id ?? "" }, merchant.as)).rejects.toThrow(
      "no such event",
    );
    const inLive = { headers: { ...other.as.headers, "paylink-mode": "live" } };
    expect((await other.webhooks.listEvents({}, inLive)).events).toEqual([]);
    await expect(other.webhooks.getEvent({ id: event?.id ?? "" }, inLive)).rejects.toThrow("no such event");
  });

  test("the event is there with the bytes that were sent, and its delivery with the attempt", async () => {
    const { body: payment } = await merchant.pay({ reference: "order-3" });
    const [received] = await receiver.until(1, about(payment.id));
    const { event } = await merchant.webhooks.getEvent({ id: received?.eventId ?? "" }, merchant.as);
    expect(new TextDecoder().decode(event?.body)).toBe(received?.text);
    expect(event).toMatchObject({ type: "payment.succeeded", objectId: payment.id, reference: "order-3" });
    await expect
      .poll(
        async () =>
          (await merchant.webhooks.listDeliveries({ eventId: event?.id ?? "" }, merchant.as)).deliveries,
      )
      .toMatchObject([{ status: DeliveryStatus.SUCCEEDED, attemptCount: 1, lastStatusCode: 200 }]);
    const [delivery] = (await merchant.webhooks.listDeliveries({ eventId: event?.id ?? "" }, merchant.as))
      .deliveries;
    const { attempts } = await merchant.webhooks.listDeliveryAttempts(
      { deliveryId: delivery?.id ?? "" },
      merchant.as,
    );
    expect(attempts).toMatchObject([{ number: 1, statusCode: 200, responseBody: "ok" }]);
    expect(attempts[0]?.latencyMs).toBeLessThan(5000);
  });
});
