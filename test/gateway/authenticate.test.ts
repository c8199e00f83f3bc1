import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { INVALID_API_KEY } from "../../contract/key-texts.ts";
import { authorize, readApiKey } from "../../gateway/rest/authenticate.ts";
import type { Route } from "../../gateway/transcode/route.ts";
import { Api } from "../support/api.ts";
import { expectError } from "../support/error-answer.ts";
import { startService } from "../support/service.ts";

const KEY = `svc_test_${"k".repeat(43)}`;
const LIST = "/v1/payments?from=2026-01-01&to=2026-01-31";
const NO_KEY = { code: "invalid_api_key", message: INVALID_API_KEY };

describe("the API key of a request", () => {
  test.each([
    ["Authorization", `Bearer ${KEY}`, KEY],
    ["AUTHORIZATION", `bearer ${KEY}`, KEY],
    ["authorization", "Bearer svc_live_~!x", "svc_live_~!x"],
    ["authorization", `Bearer svc_live_${"x".repeat(200)}`, `svc_live_${"x".repeat(200)}`],
  ])("%s: %s, is read and hashed whole", (name, value, key) => {
    expect(readApiKey(["host", "x", name, value])).toEqual({ hash: hash("sha256", key, "buffer") });
  });

  test.each([
    [[]],
    [[""]],
    [[KEY]],
    [["Bearer "]],
    [["Bearer svc_test_"]],
    [[`xBearer ${KEY}`]],
    [[`Basic ${KEY}`]],
    [[`Bearer  ${KEY}`]],
    [[`Bearer ${KEY} x`]],
    [["Bearer svc_prod_abc"]],
    [["Bearer SVC_TEST_abc"]],
    [["Bearer svc_LIVE_svc_live_abc"]],
    [["Bearer svc_test_é"]],
    [[`Bearer svc_test_${"x".repeat(201)}`]],
    [[`Bearer ${KEY}`, `Bearer ${KEY}`]],
  ])("is none in %j: invalid_api_key", (values) => {
    expect(() => readApiKey(values.flatMap((value) => ["authorization", value]))).toThrow(
      expect.objectContaining(NO_KEY),
    );
  });
});

describe("a caller", () => {
  const route = (isSandboxOnly: boolean) => ({ scope: "quotes:write", isSandboxOnly }) as Route;
  const caller = (mode: "live" | "test", ...scopes: string[]) => ({
    tenantId: "ten_1",
    mode,
    scopes,
    keyId: "key_1",
  });

  test.each(["live", "test"] as const)("may do what it has the scope for, in %s", (mode) => {
    authorize(route(false), caller(mode, "payments:read", "quotes:write"));
    for (const scopes of [[], ["payments:read"]])
      expect(() => authorize(route(false), caller(mode, ...scopes))).toThrow(
        expect.objectContaining({
          code: "insufficient_scope",
          message: "The API key lacks the scope quotes:write: use a key that has it.",
        }),
      );
  });

  test("may do what belongs to the sandbox in test mode alone", () => {
    authorize(route(true), caller("test", "quotes:write"));
    expect(() => authorize(route(true), caller("live", "quotes:write"))).toThrow(
      expect.objectContaining({
        code: "not_available_in_live",
        message: "This plays a payer, and is available with a test key only: send a key svc_test_….",
      }),
    );
  });
});

test("a live key acts in live, and an address that a proxy forwards may be of any length", async () => {
  const service = await startService("direct", { trustedProxies: ["127.0.0.1"] });
  const { testKey, liveKey } = await service.createTenant();
  const simulate = async (key: string) =>
    await new Api(service, key).post("/v1/payment_links/pl_x/simulate_payment", { outcome: "failed" });
  expectError(await simulate(testKey), { status: 404, code: "payment_link_not_found" });
  expectError(await simulate(liveKey), { status: 403, code: "not_available_in_live" });
  for (const from of ["203.0.113.7", `${"0".repeat(100)}1::1`, "x".repeat(1000)])
    expect((await new Api(service, liveKey).get(LIST, { "x-forwarded-for": from })).status).toBe(200);
  await service.close();
});
