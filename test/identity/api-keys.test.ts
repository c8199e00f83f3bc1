import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { hash } from "node:crypto";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { INVALID_API_KEY } from "../../contract/key-texts.ts";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { Api } from "../support/api.ts";
import { expectError } from "../support/error-answer.ts";
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

/** From an address, as the core sees the call of a gateway. */
const ask = (key: string, address: string) =>
  identity().authenticateApiKey({ keyHash: hash("sha256", key, "buffer"), address }, service.internal);

describe("a key that expires", () => {
  test("is refused from that second on though it is kept in memory, as an unknown one is", async () => {
    const { id, key } = await create({ expiresAt: later(60) });
    const second = await secondService(service);
    const elsewhere = new Api(second, key);
    expect([await statusOf(key), (await elsewhere.get(LIST)).status]).toEqual([200, 200]);
    expect(await listed(id)).toMatchObject({ expiresAt: { seconds: expect.any(BigInt) } });
    service.clock.advance(61);
    const [expired, unknown] = [await answerTo(key), await answerTo(`${key.slice(0, -1)}_`)];
    expect([expired.status, (await elsewhere.get(LIST)).status]).toEqual([401, 401]);
    expect({ ...expired.body.error, request_id: "" }).toEqual({ ...unknown.body.error, request_id: "" });
    await second.close();
  });

  test("expires later than now, and is good to be replaced until that second", async () => {
    service.clock.stop();
    onTestFinished(() => service.clock.run());
    const toSecond = () => Math.floor(service.clock.nowMs() / 1000) * 1000;
    service.clock.set(new Date(toSecond()));
    for (const expiresAt of [later(-60), later(0)])
      expect(await refusalOf(create({ expiresAt }))).toMatchObject({
        code: "invalid_request",
        param: "expires_at",
        message: "expires_at must be later than now.",
      });
    const { id } = await create({ expiresAt: later(60) });
    service.clock.advance(60);
    expect(await codeOf(rotate(id))).toBe("invalid_request");
  });

  test("is known by its last four characters, and by when it was used last, once that is written", async () => {
    const second = await secondService(service);
    const { id, key } = await create({});
    expect(id).toMatch(/^key_[0-9a-z]{26}$/);
    const unused = await listed(id);
    expect([unused?.lastFour, unused?.lastUsedAt]).toEqual([key.slice(-4), undefined]);
    expect((await new Api(second, key).get(LIST)).status).toBe(200);
    // A core that ends writes what it knows.
    await second.close();
    expect((await listed(id))?.lastUsedAt).toBeDefined();
    const own = await create({});
    expect(await statusOf(own.key)).toBe(200);
    expect((await listed(own.id))?.lastUsedAt).toBeDefined();
  });

  test("is absent unless one is given", async () => {
    const { id, key: plaintext } = await create({});
    service.clock.advance(3650 * DAY_SECONDS);
    expect(await statusOf(plaintext)).toBe(200);
    const key = await listed(id);
    expect([key?.expiresAt, key?.addresses]).toEqual([undefined, []]);
  });
});

describe("a key with addresses", () => {
  const ADDRESSES = ["203.0.113.0/24", "198.51.100.7", "2001:db8::/32"];

  test.each([
    ["203.0.113.255", "ok"],
    ["198.51.100.7", "ok"],
    ["::ffff:198.51.100.7", "ok"],
    ["2001:db8:1::1", "ok"],
    ["203.0.114.0", "invalid_api_key"],
    ["2001:db9::1", "invalid_api_key"],
    ["unknown", "invalid_api_key"],
    ["", "invalid_api_key"],
  ])("from %s: %s", async (address, outcome) => {
    const { key } = await create({ addresses: ADDRESSES });
    expect(await codeOf(ask(key, address))).toBe(outcome);
  });

  test("is refused by the core with the same sentence for every reason", async () => {
    const { key } = await create({ addresses: ADDRESSES });
    for (const given of [key, "svc_test_unknown"])
      expect((await refusalOf(ask(given, "")))?.message).toBe(INVALID_API_KEY);
  });

  test("is held to where a request comes from, and refused in the words of an unknown one", async () => {
    const [here, there] = [
      await create({ addresses: ["127.0.0.0/8"] }),
      await create({ addresses: ["203.0.113.7"] }),
    ];
    expect(await statusOf(here.key)).toBe(200);
    const headers = { "x-forwarded-for": "203.0.113.7" };
    const refused = await new Api(service, there.key).get(LIST, headers);
    expectError(refused, { status: 401, code: "invalid_api_key" });
    const unknown = await answerTo(`${there.key.slice(0, -1)}_`);
    expect(refused.body.error.message).toBe(unknown.body.error.message);
  });

  test("is not made for what is no address", async () => {
    expect(await codeOf(create({ addresses: ["203.0.113.7", "127.1"] }))).toBe("invalid_request");
  });

  test("is one of those for 500 addresses together at most, and of the ended ones for 1000 are listed", async () => {
    const addresses = Array.from({ length: 50 }, (_, number) => `203.0.113.${number}`);
    const ids: string[] = [];
    for (let round = 0; round < 3; round++) {
      const made: string[] = [];
      for (let count = 0; count < 10; count++) made.push((await create({ addresses })).id);
      expect(await codeOf(create({ addresses: ["203.0.113.7"] }))).toBe("quota_exceeded");
      const { id } = await create({});
      for (const one of [...made, id]) await identity().revokeApiKey({ id: one }, service.internal);
      ids.push(...made);
    }
    const { apiKeys } = await identity().listApiKeys({ tenantId: tenant.id }, service.internal);
    const found = apiKeys.filter((key) => key.addresses.length > 0).map((key) => key.id);
    expect(found).toEqual(ids.toSorted().slice(-20));
  });
});

describe("a key that is revoked", () => {
  test("is answered as it then is, and stays revoked since the first time", async () => {
    const { id, key } = await create({ name: "till" });
    const revoke = async () => await identity().revokeApiKey({ id }, service.internal);
    const { apiKey } = await revoke();
    expect(apiKey).toMatchObject({ id, name: "till", revokedAt: { seconds: expect.any(BigInt) } });
    service.clock.advance(60);
    expect(await revoke()).toMatchObject({ apiKey });
    expect([await statusOf(key), await listed(id)]).toMatchObject([401, apiKey]);
    expect(await refusalOf(rotate(id))).toMatchObject({
      code: "invalid_request",
      param: "id",
      message: "The key is revoked or has expired: create a new one.",
    });
  });

  test("is one that there is, of a tenant that there is", async () => {
    const { id } = await create({});
    const revoke = (more: object) => identity().revokeApiKey({ id, ...more }, service.internal);
    const unknown = { code: "api_key_not_found", message: "There is no such API key." };
    expect(await refusalOf(revoke({ id: "key_x" }))).toMatchObject(unknown);
    expect(await refusalOf(revoke({ tenantId: (await service.createTenant()).id }))).toMatchObject(unknown);
    expect(await codeOf(revoke({ tenantId: "ten_nope" }))).toBe("tenant_not_found");
    expect((await listed(id))?.revokedAt).toBeUndefined();
  });
});
