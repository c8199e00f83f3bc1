import { createClient } from "@connectrpc/connect";
import { randomUUID } from "node:crypto";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { startService, type TestTenant } from "../support/service.ts";

const PAYMENTS = "/v1/payments?from=2026-01-01&to=2026-01-01";
const PROXIES = ["10.9.8.7", "10.9.8.8"] as const;

// The windows of the counts begin and end by the machine's clock.
vi.useFakeTimers({ toFake: ["Date"] });
// The other files of the worker have its clock.
afterAll(() => void vi.useRealTimers());
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

const service = await forFile(
  startService("direct", {
    trustedProxies: PROXIES,
    rateLimits: { wrongKeysPerSecond: 4 },
  }),
);

let tenant: TestTenant;
beforeEach(async () => {
  // Every window has ended.
  pass(3_600_000);
  tenant = await service.createTenant();
});

describe("wrong keys", () => {
  const guess = (): string => `svc_test_${randomUUID()}`;
  const ask = async (key: string, remoteAddress = "192.0.2.5") => {
    const headers = { authorization: `Bearer ${key}` };
    const { statusCode, body, ...answer } = await service.gateway.inject({
      url: PAYMENTS,
      headers,
      remoteAddress,
    });
    return { status: statusCode, text: body, headers: answer.headers };
  };
  const from = async (remoteAddress: string, key: string): Promise<number> =>
    (await ask(key, remoteAddress)).status;

  test("are asked for no further when too many come from one address, until time has passed", async () => {
    const found: number[] = [];
    for (let count = 0; count < 5; count++) found.push((await ask(guess())).status);
    expect(found).toEqual([401, 401, 401, 401, 429]);
    const refused = await ask(guess());
    expectError(refused, { status: 429, code: "rate_limited" });
    expect(refused.headers["retry-after"]).toBe("1");
    expect(Object.keys(refused.headers).filter((name) => name.startsWith("ratelimit"))).toEqual([]);
    pass(1000);
    expect((await ask(guess())).status).toBe(401);
  });

  test("shut out neither another address nor a key that was good before", async () => {
    expect(await from("192.0.2.1", tenant.testKey)).toBe(200);
    for (let count = 0; count < 5; count++) await from("192.0.2.1", guess());
    expect(await from("192.0.2.1", guess())).toBe(429);
    expect(await from("192.0.2.1", tenant.testKey)).toBe(200);
    expect(await from("192.0.2.2", guess())).toBe(401);
  });

  test("a subscriber's IPv6 addresses count as one, and good keys do not count", async () => {
    for (let count = 0; count < 3; count++) expect(await from("2001:db8::1", tenant.liveKey)).toBe(200);
    for (let count = 0; count < 4; count++) expect(await from(`2001:db8::${count + 2}`, guess())).toBe(401);
    expect(await from("2001:db8::ffff", guess())).toBe(429);
    expect(await from("2001:db8:0:1::1", guess())).toBe(401);
  });

  test("requests that come together with a key that is good and new count as none", async () => {
    const { key } = await service.createKey(tenant.id, "test");
    for (let count = 0; count < 3; count++) await from("192.0.2.9", guess());
    const answered = await Promise.all([1, 2, 3].map(async () => await from("192.0.2.9", key)));
    expect(answered).toEqual([200, 200, 200]);
  });

  test("a key that was revoked counts as wrong from its first refusal on", async () => {
    const { id, key } = await service.createKey(tenant.id, "test");
    expect(await from("192.0.2.3", key)).toBe(200);
    await createClient(IdentityService, service.core.transport).revokeApiKey({ id }, service.internal);
    const answered: number[] = [];
    for (let count = 0; count < 6; count++) answered.push(await from("192.0.2.3", key));
    expect(answered).toEqual([401, 401, 401, 401, 429, 429]);
  });
});

describe("behind a proxy, wrong keys", () => {
  const guess = async (forwarded: string, key = `svc_test_${randomUUID()}`): Promise<number> => {
    const headers = { authorization: `Bearer ${key}`, "x-forwarded-for": forwarded };
    return (await service.gateway.inject({ url: PAYMENTS, headers, remoteAddress: PROXIES[0] })).statusCode;
  };

  test.each([
    ["an IPv4 address with ports", (port: number) => `192.0.2.7:${port}`],
    ["an IPv6 address with ports", (port: number) => `[2001:db8::7]:${port}`],
    ["an IPv6 address in brackets", (n: number) => ["[2001:db8::7]", "2001:db8::7"][n % 2] ?? ""],
    ["an address after its visitor's words", (n: number) => `x${n}, 198.51.100.${n}, 192.0.2.7`],
    ["an address that came by two proxies", (port: number) => `192.0.2.7:${port}, ${PROXIES[1]}:${port}`],
    ["what is no address", (n: number) => [`_hidden${n}`, "unknown", `${n}`, `192.0.2.7:x${n}`][n % 4] ?? ""],
    ["what is no address, after addresses", (n: number) => `192.0.2.${n}, unknown${n}`],
  ])("of %s count as of one", async (_, forwarded) => {
    const answered: number[] = [];
    for (let count = 1; count <= 5; count++) answered.push(await guess(forwarded(count)));
    expect(answered).toEqual([401, 401, 401, 401, 429]);
    expect(await guess("203.0.113.1")).toBe(401);
  });

  test("a key that is for an address is taken from it with a port too, and not from what is no address", async () => {
    const identity = createClient(IdentityService, service.core.transport);
    for (const [from, forwarded] of [
      ["192.0.2.7", "192.0.2.7:4711"],
      ["2001:db8::/32", "[2001:db8::7%eth0]:4711"],
      [PROXIES[0], "nobody"],
    ] as const) {
      const request = { tenantId: tenant.id, mode: Mode.TEST, addresses: [from] };
      const { key } = await identity.createApiKey(request, service.internal);
      expect([await guess(forwarded, key), await guess("192.0.2.8:4711", key)]).toEqual([200, 401]);
    }
  });
});
