import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { newId } from "../../contract/ids.ts";
import { Api } from "../support/api.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { codeOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService("network"));
const limited = await forFile(startService("direct", { rateLimits: { key: { perSecond: 10, burst: 20 } } }));
const identity = createClient(IdentityService, service.core.transport);

test.each(["test", "live"] as const)(
  "a %s key reads whose it is, and what it may do until when",
  async (mode) => {
    const { id: tenantId } = await service.createTenant();
    const asked = {
      tenantId,
      mode: mode === "live" ? Mode.LIVE : Mode.TEST,
      name: "Web shop",
      scopes: ["payments:read", "media:read"],
      expiresAt: { seconds: BigInt(Math.floor(service.clock.nowMs() / 1000)) + 3600n, nanos: 0 },
    };
    const { id, key } = await identity.createApiKey(asked, service.internal);
    expect((await new Api(service, key).get("/v1/key")).body).toEqual({
      id,
      name: "Web shop",
      tenant_id: tenantId,
      tenant_name: expect.stringMatching(/./),
      mode,
      scopes: ["payments:read", "media:read"],
      created_at: expect.any(Number),
      expires_at: Number(asked.expiresAt.seconds),
    });
  },
);

test("a key without an end has none, and what is left of its rate limit is that of the headers", async () => {
  const { testKey } = await limited.createTenant();
  const api = new Api(limited, testKey);
  await api.get("/v1/balance");
  const { body, headers } = await api.get("/v1/key");
  expect(body).toMatchObject({ expires_at: null, rate_limit: { limit: 20, remaining: 18 } });
  expect(body.rate_limit.reset_seconds).toBe(Number(headers["ratelimit-reset"]));
});

test("a key that is wrong, and a parameter, are refused", async () => {
  const { testKey } = await service.createTenant();
  expectError(await new Api(service, "svc_test_x").get("/v1/key"), { status: 401, code: "invalid_api_key" });
  const unknown = await new Api(service, testKey).get("/v1/key?id=x");
  expectError(unknown, { code: "unknown_parameter", param: "id" });
});

test("an internal caller reads a key of the tenant and mode that it names alone", async () => {
  const [mine, theirs] = [await service.createTenant(), await service.createTenant()];
  const { id } = await service.createKey(mine.id, "test");
  const read = (tenantId: string, mode: string, actor: string) =>
    codeOf(
      identity.getKey(
        {},
        {
          headers: {
            ...service.internal.headers,
            "paylink-tenant": tenantId,
            "paylink-mode": mode,
            "paylink-actor": actor,
          },
        },
      ),
    );
  expect(await read(mine.id, "test", id)).toBe("ok");
  expect(await read(theirs.id, "test", id)).toBe("api_key_not_found");
  expect(await read(mine.id, "live", id)).toBe("api_key_not_found");
  expect(await read(mine.id, "test", newId("key"))).toBe("api_key_not_found");
});
