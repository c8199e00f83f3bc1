import { setTimeout as passes } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { DeliveryStatus } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { OF_PAYMENTS, ok, startReceiver, verified } from "../support/receiver.ts";
import { startService } from "../support/service.ts";
import { status, subscribed, TEN_ATTEMPTS } from "./subscribed.ts";

const service = await forFile(
  startService("direct", { delivery: { schedule: TEN_ATTEMPTS, timeoutMs: 1500 } }),
);
const worker = service.core.startWorker();
afterAll(async () => await worker.stop());

describe("resend", () => {
  test("an event sent again by hand keeps its id and bytes, and the log of all attempts", async () => {
    const { merchant, receiver, endpointId, delivery, secret } = await subscribed(service);
    await merchant.pay();
    const [first] = await receiver.until(1);
    await expect.poll(delivery).toMatchObject({ status: DeliveryStatus.SUCCEEDED });
    const id = first?.eventId ?? "";
    const { deliveries } = await merchant.webhooks.resendEvent({ id }, merchant.as);
    expect(deliveries).toMatchObject([{ eventId: id, endpointId, status: DeliveryStatus.PENDING }]);
    const [, second] = await receiver.until(2);
    expect([second?.eventId, second?.text]).toEqual([id, first?.text]);
    expect(verified(second as never, secret).id).toBe(id);
    await expect.poll(delivery).toMatchObject({ status: DeliveryStatus.SUCCEEDED, attemptCount: 2 });
    const deliveryId = deliveries[0]?.id ?? "";
    const { attempts } = await merchant.webhooks.listDeliveryAttempts({ deliveryId }, merchant.as);
    expect(attempts.map(({ number }) => number)).toEqual([1, 2]);
    await receiver.close();
  });

  test("an endpoint made later can be sent an earlier event", async () => {
    const { merchant, receiver } = await subscribed(service);
    await merchant.pay();
    const [first] = await receiver.until(1);
    const later = await startReceiver();
    const { endpoint } = await merchant.webhooks.createWebhookEndpoint(
      { url: later.url, eventTypes: OF_PAYMENTS },
      merchant.as,
    );
    const request = { id: first?.eventId ?? "", endpointId: endpoint?.id ?? "" };
    await merchant.webhooks.resendEvent(request, merchant.as);
    expect((await later.until(1))[0]?.text).toBe(first?.text);
    await later.close();
    await receiver.close();
  });

  test.each([200, 500])(
    "while an attempt is being answered %i: both are logged, the new round decides",
    async (code) => {
      const { merchant, receiver, delivery } = await subscribed(service);
      const { promise: isSent, resolve: send } = Promise.withResolvers<void>();
      receiver.answer((received, response) => {
        if (receiver.received.length > 1) return ok(received, response);
        void isSent.then(() => response.writeHead(code).end());
      });
      await merchant.pay();
      const [first] = await receiver.until(1);
      await merchant.webhooks.resendEvent({ id: first?.eventId ?? "" }, merchant.as);
      await receiver.until(2);
      await expect.poll(delivery).toMatchObject({ status: DeliveryStatus.SUCCEEDED, attemptCount: 1 });
      send();
      await expect.poll(delivery).toMatchObject({ status: DeliveryStatus.SUCCEEDED, attemptCount: 2 });
      const { id: deliveryId = "" } = (await delivery()) ?? {};
      const { attempts } = await merchant.webhooks.listDeliveryAttempts({ deliveryId }, merchant.as);
      expect(attempts.map(({ statusCode }) => statusCode)).toEqual([200, code]);
      await receiver.close();
    },
  );

  test("while an attempt is being answered, and answered after it: the new round goes on", async () => {
    const { merchant, receiver, delivery } = await subscribed(service);
    const { promise: isSent, resolve: send } = Promise.withResolvers<void>();
    receiver.answer((received, response) => {
      if (receiver.received.length === 3) return ok(received, response);
      const isSecond = receiver.received.length === 2;
      void isSent.then(() => setTimeout(() => response.writeHead(500).end(), isSecond ? 300 : 0));
    });
    await merchant.pay();
    const [first] = await receiver.until(1);
    await merchant.webhooks.resendEvent({ id: first?.eventId ?? "" }, merchant.as);
    await receiver.until(2);
    send();
    await expect.poll(delivery).toMatchObject({ status: DeliveryStatus.SUCCEEDED, attemptCount: 3 });
    await receiver.close();
  });

  test("all that failed since a time: nothing from before the endpoint was there", async () => {
    const { merchant, receiver } = await subscribed(service);
    await merchant.pay();
    await receiver.until(1);
    service.clock.advance(5);
    const later = await startReceiver();
    const { endpoint } = await merchant.webhooks.createWebhookEndpoint(
      { url: later.url, eventTypes: OF_PAYMENTS },
      merchant.as,
    );
    const request = { endpointId: endpoint?.id ?? "", since: { seconds: 0n, nanos: 0 } };
    expect(await merchant.webhooks.resendFailedEvents(request, merchant.as)).toMatchObject({ eventCount: 0 });
    await later.close();
    await receiver.close();
  });

  test("while attempts are in progress the new round goes on alone", async () => {
    const { merchant, receiver, delivery } = await subscribed(service);
    receiver.answer(status(500, { "retry-after": "1" }));
    await merchant.pay();
    await receiver.until(1);
    receiver.answer(ok);
    const { eventId: id = "" } = receiver.received[0] ?? {};
    await merchant.webhooks.resendEvent({ id }, merchant.as);
    await receiver.until(2);
    await expect.poll(delivery).toMatchObject({ status: DeliveryStatus.SUCCEEDED, attemptCount: 2 });
    // An attempt of the first round would fall due after a second.
    await passes(1500);
    expect(receiver.received.filter(({ eventId }) => eventId === id)).toHaveLength(2);
    await receiver.close();
  });

  test("the newest hundred attempts of a delivery are listed, and no others are kept", async () => {
    const { merchant, receiver, delivery } = await subscribed(service);
    await merchant.pay();
    await expect.poll(delivery, { timeout: 30_000 }).toMatchObject({ status: DeliveryStatus.SUCCEEDED });
    const { id: deliveryId = "" } = (await delivery()) ?? {};
    const id = receiver.received[0]?.eventId ?? "";
    const rows = await new DatabaseRows(service.databaseUrl).open();
    await rows.run(
      `INSERT INTO test.webhook_attempt (tenant_id, delivery_id, number, started_at, latency_ms, response_body)
        SELECT tenant_id, delivery_id, n, started_at, 1, '' FROM test.webhook_attempt, generate_series(2, 250) AS n
        WHERE delivery_id = $1`,
      [deliveryId],
    );
    await rows.run("UPDATE test.webhook_delivery SET attempt_count = 250 WHERE id = $1", [deliveryId]);
    const numbers = async (): Promise<number[]> => {
      const { attempts } = await merchant.webhooks.listDeliveryAttempts({ deliveryId }, merchant.as);
      return attempts.map(({ number }) => number);
    };
    const hundredFrom = (first: number): number[] => Array.from({ length: 100 }, (_, index) => first + index);
    expect(await numbers()).toEqual(hundredFrom(151));
    await merchant.webhooks.resendEvent({ id }, merchant.as);
    await expect.poll(numbers, { timeout: 30_000 }).toEqual(hundredFrom(152));
    expect(await rows.count("test.webhook_attempt WHERE delivery_id = $1", [deliveryId])).toBe(100);
    await rows.close();
    await receiver.close();
  });
});
