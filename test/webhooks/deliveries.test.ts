import { afterAll, describe, expect, test } from "vitest";
import { DeliveryStatus, WebhookEndpointStatus } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { forFile } from "../support/for-file.ts";
import { ok, startReceiver, verified, type Answerer } from "../support/receiver.ts";
import { startService } from "../support/service.ts";
import { status, subscribed, TEN_ATTEMPTS } from "./subscribed.ts";

const service = await forFile(
  startService("direct", { delivery: { schedule: TEN_ATTEMPTS, timeoutMs: 1500 } }),
);
const worker = service.core.startWorker();
afterAll(async () => await worker.stop());

describe("an attempt that fails is made again", () => {
  test("with the same id and the same body bytes, each signed at its own time, until it is answered 2xx", async () => {
    const { merchant, receiver, secret, delivery } = await subscribed(service);
    receiver.answer((_received, response) =>
      response.writeHead(receiver.received.length < 4 ? 500 : 204).end(),
    );
    await merchant.pay({ reference: "again" });
    await receiver.until(4);
    await expect.poll(delivery).toMatchObject({ status: DeliveryStatus.SUCCEEDED, attemptCount: 4 });
    expect(new Set(receiver.received.map(({ eventId }) => eventId)).size).toBe(1);
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
    for (const received of receiver.received) expect(verified(received, secret).reference).toBe("again");
    expect(receiver.received).toHaveLength(4);
    await receiver.close();
  });

  test.each([
    ["is answered 500", status(500, {}, "broken"), "bad_status", 500, "broken"],
    ["is answered 404", status(404), "bad_status", 404, ""],
    ["is answered 304", status(304), "bad_status", 304, ""],
    ["is cut off", (_r, response) => void response.socket?.destroy(), "connection_failed", undefined, ""],
    ["is never answered", () => undefined, "timeout", undefined, ""],
    [
      "is answered byte by byte without end",
      (_r, response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write("."), 50);
        response.on("close", () => clearInterval(timer));
      },
      "timeout",
      200,
      expect.stringMatching(/^\.+$/),
    ],
    [
      "is answered by another protocol",
      (_r, response) =>
        void response.socket?.end(
          "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        ),
      "connection_failed",
      undefined,
      "",
    ],
  ] satisfies [string, Answerer, string, number | undefined, string][])(
    "when it %s",
    async (_what, answerer, error, statusCode, responseBody) => {
      const { merchant, receiver, delivery } = await subscribed(service);
      receiver.answer((received, response) =>
        receiver.received.length === 1 ? answerer(received, response) : ok(received, response),
      );
      await merchant.pay();
      await expect
        .poll(delivery, { timeout: 8000 })
        .toMatchObject({ status: DeliveryStatus.SUCCEEDED, attemptCount: 2 });
      const { id = "" } = (await delivery()) ?? {};
      const { attempts } = await merchant.webhooks.listDeliveryAttempts({ deliveryId: id }, merchant.as);
      expect(attempts).toMatchObject([
        { number: 1, error, responseBody },
        { number: 2, statusCode: 200 },
      ]);
      expect(attempts[0]?.statusCode).toBe(statusCode);
      expect(attempts[1]?.error).toBeUndefined();
      await receiver.close();
    },
  );

  test("ten times at most, and then it has failed", async () => {
    const { merchant, receiver, delivery } = await subscribed(service);
    receiver.answer(status(503));
    await merchant.pay();
    await expect
      .poll(delivery, { timeout: 15_000 })
      .toMatchObject({ status: DeliveryStatus.FAILED, attemptCount: 10 });
    expect(receiver.received).toHaveLength(10);
    expect(await delivery()).not.toHaveProperty("nextAttemptAt.seconds");
    await receiver.close();
  });

  test("not before Retry-After", async () => {
    const { merchant, receiver, delivery } = await subscribed(service);
    receiver.answer((received, response) =>
      receiver.received.length === 1
        ? status(429, { "retry-after": "2" })(received, response)
        : ok(received, response),
    );
    await merchant.pay();
    await expect.poll(delivery, { timeout: 8000 }).toMatchObject({ status: DeliveryStatus.SUCCEEDED });
    const [first, second] = receiver.received;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(1900);
    await receiver.close();
  });
});

describe("what is read of an answer", () => {
  test("its first 4 KiB are kept, and no more than 64 KiB read", async () => {
    const { merchant, receiver, delivery } = await subscribed(service);
    let sent = 0;
    receiver.answer((_received, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384, "x\0"))) sent += 16_384;
      };
      response.on("drain", more);
      more();
    });
    await merchant.pay();
    await expect.poll(delivery).toMatchObject({ status: DeliveryStatus.SUCCEEDED, attemptCount: 1 });
    const { id = "" } = (await delivery()) ?? {};
    const { attempts } = await merchant.webhooks.listDeliveryAttempts({ deliveryId: id }, merchant.as);
    expect(attempts[0]?.responseBody).toBe("x\u{FFFD}".repeat(2048));
    // What the sockets hold comes on top of it.
    expect(sent).toBeLessThan(16 * 1024 * 1024);
    await receiver.close();
  });

  test("answers before it, however many, end with the attempt's time", async () => {
    const { merchant, receiver, delivery } = await subscribed(service);
    let isClosed = false;
    receiver.answer((_received, { socket }) => {
      const timer = setInterval(() => socket?.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 50);
      socket?.on("close", () => {
        isClosed = true;
        clearInterval(timer);
      });
    });
    await merchant.pay();
    await expect.poll(delivery, { timeout: 8000 }).toMatchObject({ attemptCount: 1, lastError: "timeout" });
    await expect.poll(() => isClosed).toBe(true);
    await receiver.close();
  });

  test("a redirect is not followed", async () => {
    const { merchant, receiver, delivery } = await subscribed(service);
    const elsewhere = await startReceiver();
    receiver.answer((received, response) =>
      receiver.received.length === 1
        ? status(307, { location: elsewhere.url })(received, response)
        : ok(received, response),
    );
    await merchant.pay();
    await expect.poll(delivery).toMatchObject({ status: DeliveryStatus.SUCCEEDED, attemptCount: 2 });
    expect(elsewhere.received).toEqual([]);
    await elsewhere.close();
    await receiver.close();
  });
});

describe("410 Gone", () => {
  test("disables the endpoint: nothing more is sent, until it is enabled and asked to be sent what it missed", async () => {
    const { merchant, receiver, endpointId, delivery } = await subscribed(service);
    receiver.answer(status(410));
    const since = { seconds: BigInt(Math.floor(Date.now() / 1000) - 1), nanos: 0 };
    await merchant.pay();
    await expect.poll(delivery).toMatchObject({ status: DeliveryStatus.FAILED, attemptCount: 1 });
    const { endpoints } = await merchant.webhooks.listWebhookEndpoints({}, merchant.as);
    expect(endpoints).toMatchObject([{ status: WebhookEndpointStatus.DISABLED, disabledReason: "gone" }]);
    const { body: missed } = await merchant.pay();
    const request = { endpointId, since };
    await expect(merchant.webhooks.resendFailedEvents(request, merchant.as)).rejects.toThrow("disabled");
    receiver.answer(ok);
    await merchant.webhooks.enableWebhookEndpoint({ id: endpointId }, merchant.as);
    expect(await merchant.webhooks.resendFailedEvents(request, merchant.as)).toMatchObject({ eventCount: 2 });
    const received = await receiver.until(3);
    expect(received.some(({ text }) => text.includes(missed.id))).toBe(true);
    expect(received[0]?.text).toBe(
      received.findLast(({ eventId }) => eventId === received[0]?.eventId)?.text,
    );
    expect(await merchant.webhooks.resendFailedEvents(request, merchant.as)).toMatchObject({ eventCount: 0 });
    await receiver.close();
  });
});

describe("disable and delete", () => {
  test.each(["disableWebhookEndpoint", "deleteWebhookEndpoint"] as const)(
    "%s ends deliveries in progress",
    async (method) => {
      const { merchant, receiver, endpointId, delivery } = await subscribed(service);
      receiver.answer(status(500, { "retry-after": "1" }));
      await merchant.pay();
      await receiver.until(1);
      await merchant.webhooks[method]({ id: endpointId }, merchant.as);
      await expect.poll(delivery, { timeout: 8000 }).toMatchObject({
        status: DeliveryStatus.FAILED,
        lastError: "endpoint_disabled",
      });
      expect(receiver.received).toHaveLength(1);
      await receiver.close();
    },
  );
});

describe("A slow or dead endpoint never delays another's deliveries", () => {
  test.each([
    ["never answers", () => undefined],
    [
      "takes 200 ms for each answer",
      (received, response) => void setTimeout(() => ok(received, response), 200),
    ],
  ] satisfies [string, Answerer][])(
    "with 200 events waiting at an endpoint that %s, another's arrive at once",
    async (what, answerer) => {
      const { merchant, receiver: dead } = await subscribed(service);
      dead.answer(answerer);
      const link = await merchant.newLink({ campaign: true });
      await Promise.all(Array.from({ length: 200 }, () => merchant.simulate(link)));
      await dead.until(8);
      const { merchant: other, receiver } = await subscribed(service);
      const startedMs = Date.now();
      const otherLink = await other.newLink({ campaign: true });
      await Promise.all(Array.from({ length: 50 }, () => other.simulate(otherLink)));
      await receiver.until(50);
      const tookMs = Date.now() - startedMs;
      console.info(`50 deliveries beside 200 at an endpoint that ${what}: ${tookMs} ms`);
      // One after the other they would wait for all of the slow ones.
      expect(tookMs).toBeLessThan(8000);
      expect(dead.received.length).toBeLessThan(200);
      dead.answer(ok);
      await dead.close();
      await receiver.close();
    },
    60_000,
  );
});
