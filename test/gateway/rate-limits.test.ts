import { randomUUID } from "node:crypto";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { createGateway } from "../../gateway/app.ts";
import { rateLimits } from "../../gateway/rest/rate-limits.ts";
import { CORE_TOKEN } from "../support/core-options.ts";
import { expectError } from "../support/error-answer.ts";
import { startService, type TestTenant } from "../support/service.ts";
import { forFile } from "../support/for-file.ts";

const LINK = { amount: 15_990, currency: "BRL" };
const PAYMENTS = "/v1/payments?from=2026-01-01&to=2026-01-01";

// The windows of the counts begin and end by the machine's clock.
vi.useFakeTimers({ toFake: ["Date"] });
// The other files of the worker have its clock.
afterAll(() => void vi.useRealTimers());
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

const service = await forFile(
  startService("direct", {
    rateLimits: {
      key: { perSecond: 2, burst: 3 },
      tenant: { perSecond: 4, burst: 5 },
    },
  }),
);
const address = await service.gateway.listen({ host: "127.0.0.1", port: 0 });

let tenant: TestTenant;
beforeEach(async () => {
  // Every window has ended.
  pass(3_600_000);
  tenant = await service.createTenant();
});

/** An answer over the wire. */
async function ask(key: string, init: RequestInit = {}) {
  const response = await fetch(`${address}${init.method === "POST" ? "/v1/payment_links" : PAYMENTS}`, {
    ...init,
    headers: { authorization: `Bearer ${key}`, ...init.headers },
  });
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers), text: await response.text() };
}

async function create(key: string, idempotencyKey: string, body: object = LINK) {
  return await ask(key, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", "idempotency-key": idempotencyKey },
  });
}

async function statuses(key: string, count: number): Promise<number[]> {
  return await Promise.all(Array.from({ length: count }, async () => (await ask(key)).status));
}

function sorted(found: readonly number[]): number[] {
  return found.toSorted((a, b) => a - b);
}

function levels({ headers }: { headers: Readonly<Record<string, string>> }): (string | undefined)[] {
  return ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"].map((name) => headers[name]);
}

test("a key has its burst and headers with the remainder, is refused over it and served again after Retry-After", async () => {
  expect(levels(await ask(tenant.testKey))).toEqual(["3", "2", "2"]);
  expect(levels(await ask(tenant.testKey))).toEqual(["3", "1", "2"]);
  expect(levels(await ask(tenant.testKey))).toEqual(["3", "0", "2"]);
  const refused = await ask(tenant.testKey);
  expectError(refused, { status: 429, code: "rate_limited" });
  expect(refused.text).toContain("The limit of this API key is 2 requests a second, and 3 at once.");
  expect(levels(refused)).toEqual(["3", "0", "2"]);
  expect(refused.headers["retry-after"]).toBe("2");
  pass(2000);
  expect(sorted(await statuses(tenant.testKey, 4))).toEqual([200, 200, 200, 429]);
});

test("a burst at the same time takes no more than the burst", async () => {
  const answered = await statuses(tenant.testKey, 12);
  expect(answered.filter((status) => status === 200)).toHaveLength(3);
  expect(answered.filter((status) => status === 429)).toHaveLength(9);
});

test("a quote without a method counts as many times as it has payment options", async () => {
  const quote = async (idempotencyKey: string) =>
    await service.gateway.inject({
      method: "POST",
      url: "/v1/quotes",
      headers: {
        authorization: `Bearer ${tenant.testKey}`,
        "content-type": "application/json",
        "idempotency-key": idempotencyKey,
      },
      payload: JSON.stringify(LINK),
    });
  const first = await quote("all options");
  const { pix, ted, card } = first.json<{ scenarios: Record<"pix" | "ted", unknown> & { card: unknown[] } }>()
    .scenarios;
  const count = [pix, ted].filter((one) => one != null).length + card.length;
  expect(count).toBeGreaterThan(10);
  expect(first.headers).toMatchObject({ "ratelimit-remaining": "0", "ratelimit-reset": "2" });
  expect(await statuses(tenant.testKey, 1)).toEqual([429]);
  pass(1500);
  expect(await statuses(tenant.testKey, 1)).toEqual([200]);
});

test("two keys of one tenant have a limit together, which one alone cannot use up", async () => {
  const second = await service.createKey(tenant.id, "test");
  expect(await statuses(tenant.testKey, 3)).toEqual([200, 200, 200]);
  // What the key's own limit refuses is not counted for the tenant.
  expect(await statuses(tenant.testKey, 5)).toEqual([429, 429, 429, 429, 429]);
  expect(await statuses(second.key, 2)).toEqual([200, 200]);
  const refused = await ask(second.key);
  expectError(refused, { status: 429, code: "rate_limited" });
  expect(refused.text).toContain("the tenant's test keys together is 4 requests a second, and 5 at once");
  expect(levels(refused)).toEqual(["5", "0", "2"]);
  // What the tenant's limit refused is not counted for the key, which has one left.
  pass(1250);
  expect(sorted(await statuses(second.key, 2))).toEqual([200, 429]);
});

test("another tenant and the other mode have limits of their own", async () => {
  const other = await service.createTenant();
  expect(sorted(await statuses(tenant.testKey, 4))).toEqual([200, 200, 200, 429]);
  expect(await statuses(tenant.liveKey, 3)).toEqual([200, 200, 200]);
  expect(await statuses(other.testKey, 3)).toEqual([200, 200, 200]);
});

test("a request over the limit is not done and nothing is stored, not even for its idempotency key", async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  const made = await create(tenant.testKey, first);
  expect(made.status).toBe(201);
  await statuses(tenant.testKey, 2);
  for (const refused of [await create(tenant.testKey, second), await create(tenant.testKey, first)]) {
    expectError(refused, { status: 429, code: "rate_limited" });
    expect(refused.headers["idempotent-replay"]).toBeUndefined();
  }
  pass(3_600_000);
  // Had anything been stored, another body would be 409.
  expect((await create(tenant.testKey, second, { ...LINK, amount: 20_000 })).status).toBe(201);
  const replay = await create(tenant.testKey, first);
  expect(replay).toMatchObject({ status: 201, text: made.text, headers: { "idempotent-replay": "true" } });
  expect(levels(replay)).toEqual(["3", "1", "2"]);
});

test("a request without scope, idempotency key or JSON is counted too, and its answer has the headers", async () => {
  const { key } = await service.createKey(tenant.id, "test", ["payment_links:write"]);
  const noScope = await ask(key);
  expect([noScope.status, ...levels(noScope)]).toEqual([403, "3", "2", "2"]);
  const noKey = await ask(key, { method: "POST", body: "{}" });
  expect([noKey.status, ...levels(noKey)]).toEqual([400, "3", "1", "2"]);
});

test("without configuration there is no limit, no header and nothing that counts", async () => {
  expect(rateLimits()).toBeUndefined();
  expect(rateLimits({ key: undefined })).toBeUndefined();
  const gateway = createGateway({
    transport: service.transport,
    services: [],
    coreToken: CORE_TOKEN,
    versions: [],
    logger: false,
    publicUrl: "http://127.0.0.1:8080",
    mediaBase: "http://127.0.0.1:8080/media",
    isReady: service.core.isReady,
  });
  const { headers } = await gateway.inject("/livez");
  expect(Object.keys(headers).filter((name) => name.startsWith("ratelimit"))).toEqual([]);
  await gateway.close();
});
