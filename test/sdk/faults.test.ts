import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeEach, describe, expect, test } from "vitest";
import { ConnectionError, createPaylink, PaylinkError } from "@paylink/sdk";
import { forFile } from "../support/for-file.ts";
import { FaultyProxy } from "../support/faulty-proxy.ts";
import { startService } from "../support/service.ts";

const LINK = { amount: 15_990, currency: "BRL" } as const;
const UNAVAILABLE = { status: 503, headers: { "retry-after": "1" }, text: "<html>no</html>" };
const PAGE = { status: 200, headers: { "content-type": "text/html" }, text: "<html>Sign in</html>" };
const TRIES = 4;

const service = await forFile(startService());
const tenant = await service.createTenant();
const proxy = await forFile(FaultyProxy.before(await service.gateway.listen({ host: "127.0.0.1", port: 0 })));
const options = { baseUrl: proxy.baseUrl, key: tenant.testKey, pauseMs: 5 };
const paylink = createPaylink(options);

beforeEach(() => proxy.plan());

/** Everything that the service made. */
const made = async (): Promise<string[]> => {
  const { data } = await paylink.listPaymentLinks({ limit: 100 });
  return data.map(({ id }) => id);
};
const keysSent = (): Set<unknown> => new Set(proxy.passed.map(({ headers }) => headers["idempotency-key"]));
const answersOf = () => proxy.passed.flatMap(({ answers }) => answers);

describe("a create through", () => {
  test.each([
    ["a lost answer", "lost answer", [false, true]],
    ["an answer that is cut off", "cut answer", [false, true]],
    ["a lost request", "lost request", [false]],
    ["a request that comes twice", "sent twice", [false, true]],
    ["a 503 of a proxy", { status: 503 }, [false]],
    ["a 500", { status: 500 }, [false]],
    ["a page of a proxy", PAGE, [false]],
  ] as const)("%s is done once, and answered as it was done", async (_what, fault, replays) => {
    const before = await made();
    proxy.plan(fault);
    const link = await paylink.createPaymentLink(LINK);
    expect(answersOf().map(({ isReplay }) => isReplay)).toEqual(replays);
    for (const { text } of answersOf()) expect(JSON.parse(text)).toEqual(link);
    expect(keysSent().size).toBe(1);
    expect(new Set(proxy.passed.map(({ text }) => text)).size).toBe(1);
    expect(await made()).toEqual([link.id, ...before]);
  });

  test("two losses and a 503 is still the first one's, under the caller's own key", async () => {
    proxy.plan("lost answer", { status: 503 }, "cut answer");
    const link = await paylink.createPaymentLink(LINK, { idempotencyKey: "order-17" });
    expect(keysSent()).toEqual(new Set(["order-17"]));
    expect(proxy.passed).toHaveLength(TRIES);
    expect((await paylink.createPaymentLink(LINK, { idempotencyKey: "order-17" })).id).toBe(link.id);
  });

  test("answers that are all lost ends with the key to go on with", async () => {
    proxy.plan(...Array.from({ length: TRIES }, () => "lost answer" as const));
    const error = await paylink.createPaymentLink(LINK).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectionError);
    const { tries, idempotencyKey } = error as ConnectionError;
    expect([tries, keysSent()]).toEqual([TRIES, new Set([idempotencyKey])]);
    const again = await paylink.createPaymentLink(LINK, { idempotencyKey: idempotencyKey ?? "" });
    expect(await made()).toContain(again.id);
    expect(proxy.passed.flatMap(({ answers }) => answers).filter(({ isReplay }) => !isReplay).length).toBe(2);
  });
});

test("Retry-After is waited for, in seconds and as a date, and a longer one than allowed ends the call", async () => {
  proxy.plan(UNAVAILABLE);
  await paylink.getBalance();
  const [first, second] = proxy.passed.map(({ atMs }) => atMs) as [number, number];
  expect(second - first).toBeGreaterThanOrEqual(990);
  proxy.plan({ status: 429, headers: { "retry-after": new Date(Date.now() + 2000).toUTCString() } });
  await paylink.getBalance();
  const [third, fourth] = proxy.passed.map(({ atMs }) => atMs) as [number, number];
  // A date has no parts of a second.
  expect(fourth - third).toBeGreaterThanOrEqual(500);
  proxy.plan({ status: 503, headers: { "retry-after": "61" } });
  const error = await paylink.getBalance().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ status: 503, code: "unknown", retryAfterSeconds: 61 });
  expect(proxy.passed).toHaveLength(1);
});

test("no answer in time is a lost one", async () => {
  proxy.plan("silence");
  const hasty = createPaylink({ ...options, timeoutMs: 1000 });
  expect((await hasty.createPaymentLink(LINK)).status).toBe("active");
  expect(proxy.passed).toHaveLength(2);
});

test("a try ends in time whatever the garbage collector took of it", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  proxy.plan("silence");
  const hasty = createPaylink({ ...options, timeoutMs: 1000 });
  const link = hasty.createPaymentLink(LINK);
  await expect.poll(() => proxy.passed).toHaveLength(1);
  collect();
  expect((await link).status).toBe("active");
});

test("a refusal is final, and says what the service says", async () => {
  const refused = {
    status: 400,
    code: "invalid_request",
    param: "amount",
    requestId: expect.stringMatching(/^req_/),
  };
  await expect(paylink.createPaymentLink({ ...LINK, amount: 0 })).rejects.toMatchObject(refused);
  expect(proxy.passed).toHaveLength(1);
  const stranger = createPaylink({ ...options, key: "svc_test_x" });
  await expect(stranger.getBalance()).rejects.toBeInstanceOf(PaylinkError);
});

test("a success that is cut off where its end is not known, or is empty, is a lost answer", async () => {
  const headers = { "content-type": "application/json", connection: "close" };
  for (const text of ['{"id":"plink_1","amount":', "", "null"]) {
    proxy.plan({ status: 201, headers, text });
    expect((await paylink.createPaymentLink(LINK)).status).toBe("active");
    expect(proxy.passed).toHaveLength(2);
  }
  expect(keysSent().size).toBe(1);
});

test("a redirect is not followed: its answer would be another one", async () => {
  proxy.plan({ status: 301, headers: { location: "/v1/payment_links" } });
  await expect(paylink.createPaymentLink(LINK)).rejects.toMatchObject({ status: 301, code: "unknown" });
  expect(proxy.passed).toHaveLength(1);
});

test("what changes something and takes no key is tried again after 429 alone", async () => {
  const { id } = await paylink.createWebhookEndpoint({ url: "http://127.0.0.1:8099/" });
  const resend = async () => await paylink.resendFailedEvents({ endpoint_id: id, since: 0 });
  proxy.plan("lost answer");
  await expect(resend()).rejects.toMatchObject({ name: "ConnectionError", tries: 1, idempotencyKey: null });
  proxy.plan({ status: 503 });
  await expect(resend()).rejects.toMatchObject({ status: 503 });
  proxy.plan({ status: 429 });
  expect(await resend()).toEqual({ event_count: 0 });
  expect(proxy.passed.map(({ headers }) => headers["idempotency-key"])).toEqual([undefined, undefined]);
});

test("a caller that gives up ends the call and its pauses at once", async () => {
  proxy.plan({ status: 503, headers: { "retry-after": "50" } });
  const stop = new AbortController();
  const call = paylink.getBalance({}, { signal: stop.signal }).catch((reason: unknown) => reason);
  await expect.poll(() => proxy.passed.length).toBe(1);
  stop.abort(new Error("enough"));
  expect(await call).toMatchObject({ message: "enough" });
});
