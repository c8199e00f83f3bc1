import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { DEFAULT_QUOTAS } from "../../src/platform/config/limits-config.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { codeOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";
import { PASSWORD } from "../support/users.ts";

const KEYS_MAX = 3;

const service = await forFile(startService("direct", { quotas: { ...DEFAULT_QUOTAS, apiKeys: KEYS_MAX } }));
const identity = createClient(IdentityService, service.core.transport);
const { internal } = service;

/** A tenant with one key in each mode. */
async function newTenant() {
  const { id: tenantId } = await service.createTenant();
  const keysOf = async (mode: Mode) =>
    (await identity.listApiKeys({ tenantId }, internal)).apiKeys.filter((key) => key.mode === mode);
  return {
    tenantId,
    keysOf,
    create: async (more: object = {}) =>
      await codeOf(identity.createApiKey({ tenantId, mode: Mode.TEST, ...more }, internal)),
    rotate: async (id: string, overlapSeconds?: bigint) =>
      await codeOf(
        identity.rotateApiKey({ id, ...(overlapSeconds === undefined ? {} : { overlapSeconds }) }, internal),
      ),
  };
}

test("a tenant's active keys are bounded in each mode, also when many are made at once", async () => {
  const { create, keysOf } = await newTenant();
  const codes = await Promise.all(Array.from({ length: 6 }, async () => await create()));
  expect(codes.toSorted()).toEqual(["ok", "ok", ...Array.from({ length: 4 }, () => "quota_exceeded")]);
  expect(await keysOf(Mode.TEST)).toHaveLength(KEYS_MAX);
  expect(await create({ mode: Mode.LIVE })).toBe("ok");
});

test("a key that is revoked or has expired counts no more", async () => {
  const { create, keysOf } = await newTenant();
  const seconds = BigInt(Math.floor(service.clock.nowMs() / 1000));
  await create({ expiresAt: { seconds: seconds + 60n, nanos: 0 } });
  await create();
  expect(await create()).toBe("quota_exceeded");
  service.clock.advance(61);
  expect(await create()).toBe("ok");
  const [first] = await keysOf(Mode.TEST);
  await identity.revokeApiKey({ id: first?.id ?? "" }, internal);
  expect(await create()).toBe("ok");
  expect(await create()).toBe("quota_exceeded");
});

test("with all its keys a tenant can replace each, and the replaced ones that still work are bounded too", async () => {
  const { create, rotate, keysOf } = await newTenant();
  await Promise.all([create(), create()]);
  for (const { id } of await keysOf(Mode.TEST)) expect(await rotate(id)).toBe("ok");
  const newest = (await keysOf(Mode.TEST)).at(-1)?.id ?? "";
  expect(await rotate(newest)).toBe("quota_exceeded");
  expect(await rotate(newest, 0n)).toBe("ok");
});

test("the console's form says that there are as many as there may be", async () => {
  const { tenantId, create } = await newTenant();
  await Promise.all([create(), create()]);
  const owner = new ConsoleClient(service, await createUser(service, tenantId, "owner"));
  const page = "/console/test/keys/new";
  const { statusCode, body } = await owner.post(page, page, {
    name: "One more",
    scopes: ["payments:read"],
    password: PASSWORD,
  });
  expect(statusCode).toBe(422);
  expect(body).toContain("Já há tantos quantos pode haver");
});
