import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { Api } from "../support/api.ts";
import { ConsoleClient, createUser, type TestUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { HOSTILE, HOSTILE_ESCAPED } from "../support/hostile-texts.ts";
import { startService, type TestService, type TestTenant } from "../support/service.ts";

const PATH = "/console/test/keys";
const KEY = /svc_(?:test|live)_[\w-]{43}/g;

let service: TestService;
let tenant: TestTenant;
let developer: TestUser;
let client: ConsoleClient;
let rows: DatabaseRows;
beforeAll(async () => {
  service = await startService();
  rows = await new DatabaseRows(service.databaseUrl).open();
});
beforeEach(async () => {
  tenant = await service.createTenant();
  developer = await createUser(service, tenant.id, "developer");
  client = new ConsoleClient(service, developer);
});
afterAll(async () => {
  await rows.close();
  await service.close();
});

const list = async () =>
  (
    await createClient(IdentityService, service.core.transport).listApiKeys(
      { tenantId: tenant.id },
      service.internal,
    )
  ).apiKeys;
const create = async (form: Record<string, string | readonly string[]> = {}) =>
  await client.post(`${PATH}/new`, `${PATH}/new`, {
    name: "Shop",
    scopes: ["quotes:write", "payments:read"],
    password: developer.password,
    ...form,
  });

describe("a new key", () => {
  test("is shown once, works, and is of the page's environment with the chosen scopes", async () => {
    const { statusCode, body, headers } = await create();
    expect([statusCode, headers["cache-control"]]).toEqual([200, "no-store"]);
    const [key = "", ...others] = new Set(body.match(KEY));
    expect(key).toMatch(/^svc_test_/);
    expect(others).toEqual([]);
    const made = (await list()).find(({ name }) => name === "Shop");
    expect(made).toMatchObject({ mode: Mode.TEST, scopes: ["quotes:write", "payments:read"] });
    const api = new Api(service, key);
    expect((await api.get("/v1/payments?from=2026-01-01&to=2026-01-31")).status).toBe(200);
    const page = (await client.get(PATH)).body;
    expect(page).not.toContain(key);
    expect(page).toContain(`svc_test_…${key.slice(-4)}`);
    expect(page).toContain("Shop");
  });

  test.each([
    ["a wrong password", { password: "wrong" }, "Senha incorreta."],
    ["no password", { password: "" }, "Senha incorreta."],
    ["no scope", { scopes: [] }, "Escolha ao menos uma permissão."],
    ["a scope that there is not", { scopes: ["everything"] }, "aceito"],
    ["a name too long", { name: "x".repeat(201) }, "No máximo 200 caracteres."],
  ])("is not made with %s; what was typed stays", async (_, form, text) => {
    const count = (await list()).length;
    const { statusCode, body } = await create(form);
    expect(statusCode).toBe(422);
    expect(body).toContain(text);
    expect(body).toContain(`value="${"name" in form ? form.name : "Shop"}"`);
    expect(body).not.toContain(`value="${developer.password}"`);
    expect(await list()).toHaveLength(count);
  });

  test("is made once, however often its form is sent; the second answer shows no key", async () => {
    const page = (await client.get(`${PATH}/new`)).body;
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page)?.[1] ?? "";
    const form = {
      form_token: field("form_token"),
      form_id: field("form_id"),
      name: "Twice",
      scopes: ["payments:read"],
      password: developer.password,
    };
    const twice = await Promise.all([1, 2].map(() => client.send(`${PATH}/new`, form)));
    expect(twice.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const again = await client.send(`${PATH}/new`, form);
    expect([again.statusCode, again.body.match(KEY)]).toEqual([409, null]);
    expect(again.body).toContain("Isto já foi feito");
    expect(again.body).toContain(`href="${PATH}"`);
    expect((await list()).filter(({ name }) => name === "Twice")).toHaveLength(1);
    expect((await client.send(`${PATH}/new`, { ...form, form_id: crypto.randomUUID() })).statusCode).toBe(
      200,
    );
  });

  test("has a name that stays a text", async () => {
    await create({ name: HOSTILE });
    const { body } = await client.get(PATH);
    expect(body).toContain(HOSTILE_ESCAPED);
    expect(body).not.toContain("<script>alert");
  });
});

describe("revoking", () => {
  test("refuses the key from the next request on, and keeps it in the list", async () => {
    const [id = ""] = (await list()).filter(({ mode }) => mode === Mode.TEST).map((key) => key.id);
    const api = new Api(service, tenant.testKey);
    const get = async () => (await api.get("/v1/payments?from=2026-01-01&to=2026-01-31")).status;
    expect(await get()).toBe(200);
    const page = `${PATH}/${id}/revoke`;
    expect((await client.post(page, page, { password: "wrong" })).statusCode).toBe(422);
    expect(await get()).toBe(200);
    const { statusCode, headers } = await client.post(page, page, { password: developer.password });
    expect([statusCode, headers.location]).toEqual([303, `${PATH}?done=revoked`]);
    expect(await get()).toBe(401);
    const { body } = await client.get(`${PATH}?done=revoked`);
    expect(body).toContain("Revogada");
    expect(body).not.toContain(`${id}/revoke`);
    expect((await client.get(`${PATH}/${id}/revoke`)).statusCode).toBe(404);
  });

  test("of a key of another environment or tenant is unknown", async () => {
    const other = await service.createTenant();
    const foreign = await service.createKey(other.id, "test");
    const [live = ""] = (await list()).filter(({ mode }) => mode === Mode.LIVE).map((key) => key.id);
    for (const id of [foreign.id, live, "key_unknown"]) {
      expect((await client.get(`${PATH}/${id}/revoke`)).statusCode).toBe(404);
      const answer = await client.post(PATH, `${PATH}/${id}/revoke`);
      expect(answer.statusCode).toBe(404);
    }
    expect((await list()).every(({ revokedAt }) => revokedAt === undefined)).toBe(true);
    const use = await new Api(service, foreign.key).get("/v1/payments?from=2026-01-01&to=2026-01-31");
    expect(use.status).toBe(200);
  });
});

describe("a key with limits", () => {
  test("is made to expire and for some addresses, and the list shows both", async () => {
    const { statusCode } = await create({ expires: "30", addresses: "203.0.113.0/24\n2001:db8::1" });
    expect(statusCode).toBe(200);
    const made = (await list()).find(({ name }) => name === "Shop");
    expect(made?.addresses).toEqual(["203.0.113.0/24", "2001:db8::1"]);
    const days = (Number(made?.expiresAt?.seconds) - Date.now() / 1000) / 86_400;
    expect(days).toBeCloseTo(30, 2);
    const { body } = await client.get(PATH);
    expect(body).toContain("2001:db8::1");
    expect(body).toContain(new Date(Number(made?.expiresAt?.seconds) * 1000).toISOString());
  });

  test.each(["banana", "203.0.113.0/33", "127.1", "::ffff:203.0.113.0/120", "10.0.0.1 10.0.0.1"])(
    "is not made for %s",
    async (addresses) => {
      const count = (await list()).length;
      const { statusCode, body } = await create({ addresses });
      expect([statusCode, body.includes("Cada um é um endereço IP")]).toEqual([422, true]);
      expect(await list()).toHaveLength(count);
    },
  );
});

describe("replacing", () => {
  const post = async (id: string, form: Record<string, string> = {}) =>
    await client.post(`${PATH}/${id}/rotate`, `${PATH}/${id}/rotate`, {
      overlap: "3600",
      password: developer.password,
      ...form,
    });

  test("shows the new key once; the former is good for the overlap, and then it is shown as expired", async () => {
    const first = (await list()).find(({ mode }) => mode === Mode.TEST);
    const [id, scopes] = [first?.id ?? "", first?.scopes ?? []];
    const { statusCode, body } = await post(id);
    const [key = ""] = new Set(body.match(KEY));
    expect([statusCode, key.slice(0, 9)]).toEqual([200, "svc_test_"]);
    const [former, next] = (await list()).filter(({ mode }) => mode === Mode.TEST);
    expect(next).toMatchObject({ scopes, lastFour: key.slice(-4) });
    expect(Number(former?.expiresAt?.seconds) - service.clock.nowMs() / 1000).toBeCloseTo(3600, -2);
    expect((await client.get(PATH)).body).not.toContain(key);
    expect((await client.get(PATH)).body).toContain("Já trocada");
    expect((await client.get(PATH)).body).not.toContain(`${id}/rotate`);
    for (const [language, text] of [
      ["pt-BR", "Esta chave já foi trocada por outra"],
      ["en", "This key was replaced by another one already"],
    ] as const) {
      client.cookies.set("paylink_language", language);
      const again = await post(id);
      expect([again.statusCode, again.body.match(KEY), again.body.includes(text)]).toEqual([422, null, true]);
      expect((await client.get(`${PATH}/${id}/rotate`)).body).toContain(text);
    }
    client.cookies.set("paylink_language", "pt-BR");
    await rows.run("UPDATE identity.api_key SET expires_at = now() - interval '1 s' WHERE id = $1", [id]);
    expect((await client.get(PATH)).body).toContain("Vencida");
    expect((await client.get(`${PATH}/${id}/rotate`)).statusCode).toBe(404);
  });

  test("asks for the password, and is of the page's environment and company alone", async () => {
    const keys = await list();
    const other = await service.createKey((await service.createTenant()).id, "test");
    const [own = "", live = ""] = [Mode.TEST, Mode.LIVE].map(
      (mode) => keys.find((key) => key.mode === mode)?.id,
    );
    expect((await post(own, { password: "wrong" })).statusCode).toBe(422);
    for (const id of [live, other.id]) {
      const form = { password: developer.password };
      expect((await client.post(PATH, `${PATH}/${id}/rotate`, form)).statusCode).toBe(404);
    }
    expect(await list()).toHaveLength(2);
  });
});

test("keys of the other environment are on its own page alone", async () => {
  const ends = {
    test: `svc_test_…${tenant.testKey.slice(-4)}`,
    live: `svc_live_…${tenant.liveKey.slice(-4)}`,
  };
  const pages = { test: (await client.get(PATH)).body, live: (await client.get("/console/live/keys")).body };
  expect([pages.test.includes(ends.test), pages.test.includes(ends.live)]).toEqual([true, false]);
  expect([pages.live.includes(ends.test), pages.live.includes(ends.live)]).toEqual([false, true]);
});
