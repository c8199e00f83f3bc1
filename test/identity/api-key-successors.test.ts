import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { Api } from "../support/api.ts";
import { auditEntries } from "../support/audit.ts";
import { forFile } from "../support/for-file.ts";
import { codeOf, refusalOf } from "../support/refusal.ts";
import { secondService, startService, type TestTenant } from "../support/service.ts";

const LIST = "/v1/payments?from=2026-01-01&to=2026-01-31";
const DAY_SECONDS = 86_400;

let tenant: TestTenant;
const service = await forFile(startService());
beforeEach(async () => {
  tenant = await service.createTenant();
});

const identity = () => createClient(IdentityService, service.core.transport);
const create = async (limits: object) =>
  await identity().createApiKey({ tenantId: tenant.id, mode: Mode.TEST, ...limits }, service.internal);
const rotate = async (id: string, more: object = {}) =>
  await identity().rotateApiKey({ id, ...more }, service.internal);
const later = (seconds: number) => timestampFromMs(service.clock.nowMs() + seconds * 1000);
const answerTo = async (key: string) => await new Api(service, key).get(LIST);
const statusOf = async (key: string): Promise<number> => (await answerTo(key)).status;
const listed = async (id: string) =>
  (await identity().listApiKeys({ tenantId: tenant.id }, service.internal)).apiKeys.find(
    (key) => key.id === id,
  );

describe("a key that is replaced", () => {
  test("has a successor of the same kind, and is good for the overlap", async () => {
    const limits = { name: "till", scopes: ["payments:read"], addresses: ["127.0.0.1"] };
    const first = await create(limits);
    expect(await statusOf(first.key)).toBe(200);
    const next = await rotate(first.id, { tenantId: tenant.id });
    expect([next.scopes, next.expiresAt]).toEqual([["payments:read"], undefined]);
    expect(await listed(next.id)).toMatchObject({ ...limits, mode: Mode.TEST });
    expect((await listed(first.id))?.expiresAt).toEqual(next.replaced?.expiresAt);
    service.clock.advance(DAY_SECONDS - 60);
    expect([await statusOf(first.key), await statusOf(next.key)]).toEqual([200, 200]);
    service.clock.advance(60);
    expect([await statusOf(first.key), await statusOf(next.key)]).toEqual([401, 200]);
    const [entry] = await auditEntries(service, tenant.id, { action: "RotateApiKey" });
    expect(entry).toMatchObject({ objectId: first.id, mode: Mode.TEST, details: { successor: next.id } });
    expect(JSON.stringify(entry?.details)).not.toContain(next.key);
  });

  test("without an overlap is refused from the next request on, by every gateway", async () => {
    const second = await secondService(service);
    const { id, key } = await create({});
    const elsewhere = async () => (await new Api(second, key).get(LIST)).status;
    expect([await statusOf(key), await elsewhere()]).toEqual([200, 200]);
    await rotate(id, { overlapSeconds: 0n });
    expect(await statusOf(key)).toBe(401);
    await expect.poll(elsewhere).toBe(401);
    await second.close();
  });

  test("that was to expire never lives longer for it, and its successor lives as long", async () => {
    const first = await create({ expiresAt: later(3600) });
    const before = (await listed(first.id))?.expiresAt;
    service.clock.advance(600);
    const next = await rotate(first.id);
    expect(next.replaced?.expiresAt).toEqual(before);
    const lifeMs = next.expiresAt ? timestampMs(next.expiresAt) - service.clock.nowMs() : 0;
    expect(lifeMs / 1000).toBeGreaterThan(3595);
    expect(lifeMs / 1000).toBeLessThanOrEqual(3600);
    const long = await create({ expiresAt: later(30 * DAY_SECONDS) });
    const { replaced } = await rotate(long.id, { overlapSeconds: 60n });
    service.clock.advance(61);
    expect([await statusOf(long.key), replaced]).toEqual([401, await listed(long.id)]);
  });

  test("is not replaced again, and its successor keeps having no end", async () => {
    const first = await create({ expiresAt: undefined });
    const next = await rotate(first.id, { overlapSeconds: 3600n });
    expect(await refusalOf(rotate(first.id, { overlapSeconds: 3600n }))).toMatchObject({
      code: "invalid_request",
      param: "id",
      message: `The key was replaced by ${next.id} already: replace that one instead.`,
    });
    const third = await rotate(next.id, { overlapSeconds: 0n });
    expect([third.expiresAt, (await listed(next.id))?.replacedBy]).toEqual([undefined, third.id]);
    service.clock.advance(3650 * DAY_SECONDS);
    expect([await statusOf(first.key), await statusOf(third.key)]).toEqual([401, 200]);
  });

  test("by two at once is replaced by one of them, be its end before the overlap's", async () => {
    const { id } = await create({ name: "raced", expiresAt: later(3600) });
    const outcomes = await Promise.all([1, 2, 3].map(() => codeOf(rotate(id))));
    expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(1);
    const { apiKeys } = await identity().listApiKeys({ tenantId: tenant.id }, service.internal);
    expect(apiKeys.filter(({ name }) => name === "raced")).toHaveLength(2);
  });

  test("is neither revoked nor expired nor another tenant's, and is replaced once for one wish", async () => {
    const other = await service.createTenant();
    const [revoked, expired, good] = [
      await create({}),
      await create({ expiresAt: later(60) }),
      await create({}),
    ];
    await identity().revokeApiKey({ id: revoked.id }, service.internal);
    service.clock.advance(61);
    expect(await codeOf(rotate(revoked.id))).toBe("invalid_request");
    expect(await codeOf(rotate(expired.id))).toBe("invalid_request");
    expect(await codeOf(rotate(good.id, { tenantId: other.id }))).toBe("api_key_not_found");
    expect(await codeOf(rotate(good.id, { overlapSeconds: 2_592_001n }))).toBe("invalid_request");
    const twice = await Promise.all([1, 2].map(() => codeOf(rotate(good.id, { submissionId: "form" }))));
    expect(twice.toSorted()).toEqual(["done_already", "ok"]);
    expect(await codeOf(rotate(good.id, { submissionId: "form" }))).toBe("done_already");
    for (const submissionId of ["another form", undefined])
      expect(await codeOf(rotate(good.id, { submissionId }))).toBe("invalid_request");
  });
});
