import { getOption, ScalarType } from "@bufbuild/protobuf";
import { lookup } from "node:dns";
import { describe, expect, test } from "vitest";
import { newId, type IdPrefix } from "../../contract/ids.ts";
import { SCOPES } from "../../contract/scopes.ts";
import { Idempotency, method as methodRules } from "../../gen/paylink/options/v1/options_pb.ts";
import { DEFAULT_QUOTAS } from "../../src/platform/config/limits-config.ts";
import { Api, type Answer } from "../support/api.ts";
import { auditEntries } from "../support/audit.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError } from "../support/error-answer.ts";
import {
  ask,
  CLOSED_DAY,
  fieldsOf,
  idsOf,
  isKeyRequired,
  nameOf,
  newBelongings,
  prepare,
  ROUTES,
} from "../support/every-route.ts";
import type { Belongings } from "../support/every-route.ts";
import { forFile } from "../support/for-file.ts";
import { pictureFolder } from "../support/media.ts";
import { startService } from "../support/service.ts";
import { seen } from "../robustness/belongings.ts";

const { mediaStorage, remove } = await pictureFolder();
const service = await forFile(
  startService("direct", {
    mediaStorage,
    quotas: { ...DEFAULT_QUOTAS, apiKeys: 1000 },
    // The examples' names are nobody's: each is at an address of the public internet here.
    lookup: (_name, options, callback) => lookup("93.184.215.14", options, callback),
  }),
);
await forFile(Promise.resolve({ close: remove }));
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
/** A tenant of its own, with everything that routes are about. */
async function newMerchant() {
  const { id, liveKey } = await service.createTenant();
  const { key, id: keyId } = await service.createKey(id, "test");
  const api = new Api(service, key);
  await rows.run(
    `INSERT INTO test.day_seal (tenant_id, day, format_version, payment_count, byte_count, rows_sha256, sums, sealed_at, head_sha256)
      VALUES ($1, $2, 3, 0, 0, repeat('0', 64), '[]', now(), repeat('0', 64))`,
    [id, CLOSED_DAY],
  );
  return { id, keyId, api, live: new Api(service, liveKey), has: await newBelongings(api) };
}
const mine = await newMerchant();
const theirs = await newMerchant();

const titled = ROUTES.map((route) => [nameOf(route), route] as const);
const withIds = titled.filter(([, route]) => idsOf(route).length > 0);
const withKey = titled.filter(([, route]) => route.idempotency !== Idempotency.UNSPECIFIED);
const lists = ROUTES.filter((route) => route.verb === "GET" && idsOf(route).length === 0);

const requestIdOf = ({ headers }: Answer): unknown => headers["x-request-id"];

/** All that a tenant sees of itself. */
async function sight({ api, has }: { api: Api; has: Belongings }): Promise<string[]> {
  const reads = ROUTES.filter(({ verb }) => verb === "GET");
  return await Promise.all(reads.map(async (route) => (await ask(api, route, has)).text));
}

const unknownIds = (has: Belongings): Belongings =>
  Object.fromEntries(Object.keys(has).map((prefix) => [prefix, newId(prefix as IdPrefix)]));

describe.each(titled)("%s", (_name, route) => {
  test("succeeds as its document says, is audited as its option says, and is replayed byte for byte", async () => {
    const { id, keyId, api, has } = await newMerchant();
    const options = { idempotencyKey: newId("req") };
    await prepare(api, route, has);
    const first = await ask(api, route, has, options);
    expect([first.status, first.text]).toEqual([route.status, expect.stringMatching(/^\{/)]);
    const entries = (await auditEntries(service, id)).filter(
      ({ requestId }) => requestId === requestIdOf(first),
    );
    expect(entries.map(({ action, actorId, address }) => [action, actorId, address])).toEqual(
      route.isAudited ? [[route.method.name, keyId, "127.0.0.1"]] : [],
    );
    if (route.idempotency === Idempotency.UNSPECIFIED) return;
    const again = await ask(api, route, has, options);
    expect([again.status, again.text, requestIdOf(again)]).toEqual([
      first.status,
      first.text,
      requestIdOf(first),
    ]);
    expect([first, again].map(({ headers }) => headers["idempotent-replay"])).toEqual([undefined, "true"]);
    const body = { amount: 1, currency: "BRL" };
    for (const url of ["/v1/payment_intents", "/v1/quotes"].filter((each) => each !== route.path)) {
      expectError(await api.post(url, body, options), { status: 409, code: "idempotency_key_reuse" });
    }
  });

  test("refuses an unknown key, in the query and in the body", async () => {
    const { api, has } = mine;
    const unknown = { code: "unknown_parameter", param: "colour" };
    expectError(await ask(api, route, has, { query: "?colour=red" }), unknown);
    if (route.verb === "POST") expectError(await ask(api, route, has, { body: { colour: "red" } }), unknown);
  });

  test("refuses null in each field of a body, each parameter twice, and a number that is none", async () => {
    const { api, has } = mine;
    for (const { name: param, scalar, message } of fieldsOf(route)) {
      const twice = { query: `?${param}=1&${param}=1` };
      expectError(await ask(api, route, has, route.verb === "POST" ? { body: { [param]: null } } : twice), {
        param,
      });
      const isNumber = scalar === ScalarType.INT32 || message !== undefined;
      if (route.verb === "GET" && isNumber)
        expectError(await ask(api, route, has, { query: `?${param}=1e1` }), { param });
    }
  });

  test("needs its scope, if it has one, and no other one", async () => {
    const { id, has } = mine;
    const { key } = await service.createKey(id, "test", [route.scope || "media:read"]);
    expect([401, 403]).not.toContain((await ask(new Api(service, key), route, unknownIds(has))).status);
    const others = SCOPES.filter((scope) => scope !== route.scope);
    const without = new Api(service, (await service.createKey(id, "test", others)).key);
    if (route.scope !== "")
      expectError(await ask(without, route, has), { status: 403, code: "insufficient_scope" });
    expectError(await ask(new Api(service, "svc_test_x"), route, has), {
      status: 401,
      code: "invalid_api_key",
    });
  });
});

test.each(withIds)(
  "%s answers another tenant's ids as unknown ones, and changes nothing there",
  async (_, route) => {
    const before = await sight(theirs);
    const foreign = await ask(mine.api, route, theirs.has);
    const { errors } = getOption(route.method, methodRules);
    expectError(foreign, { status: 404, code: errors.find((code) => code.endsWith("_not_found")) ?? "" });
    expect(seen(foreign)).toEqual(seen(await ask(mine.api, route, unknownIds(theirs.has))));
    // In live mode, what only the sandbox has is refused before.
    if (!route.isSandboxOnly) expect(seen(await ask(theirs.live, route, theirs.has))).toEqual(seen(foreign));
    expect(await sight(theirs)).toEqual(before);
  },
);

test("no list shows anything of another tenant or of the other mode", async () => {
  for (const route of lists)
    for (const list of [await ask(mine.api, route, mine.has), await ask(theirs.live, route, theirs.has)])
      for (const id of Object.values(theirs.has)) expect(list.text).not.toContain(id);
});

test.each(withKey)("the idempotency key of %s is needed where something is made", async (_, route) => {
  const { api, has } = await newMerchant();
  const none = await ask(api, route, has, { idempotencyKey: null });
  if (isKeyRequired(route)) expectError(none, { code: "missing_idempotency_key" });
  else expect(none.status).toBe(route.status);
  const long = await ask(api, route, has, { idempotencyKey: "k".repeat(256) });
  expectError(long, { code: "invalid_idempotency_key" });
});

test("every POST that creates needs an idempotency key", () => {
  expect(ROUTES.filter((route) => route.status === 201 && !isKeyRequired(route))).toEqual([]);
});

test("no secret of an answer is stored readably, and its replay has it", async () => {
  const secretive = ROUTES.filter(({ method }) => getOption(method, methodRules).hasSecret);
  expect(secretive.map(({ method }) => method.name)).toEqual([
    "CreateWebhookEndpoint",
    "RotateWebhookSecret",
  ]);
  const { api, has } = await newMerchant();
  for (const route of secretive) {
    const options = { idempotencyKey: newId("req") };
    const { body } = await ask(api, route, has, options);
    expect(body.secret).toMatch(/^whsec_/);
    const readable = "test.idempotency WHERE position(convert_to($1, 'UTF8') IN response) > 0";
    expect(await rows.count(readable, [body.secret])).toBe(0);
    expect((await ask(api, route, has, options)).body).toEqual(body);
  }
});
