import { beforeEach, describe, expect, test } from "vitest";
import { SCOPES } from "../../contract/scopes.ts";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { Api } from "../support/api.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { HOSTILE, HOSTILE_ESCAPED } from "../support/hostile-texts.ts";
import { startService } from "../support/service.ts";
import { PASSWORD } from "../support/users.ts";
import { forFile } from "../support/for-file.ts";
import { KEY, KeyPages, PATH } from "./key-pages.ts";

const service = await forFile(startService());
let keyPages: KeyPages;
beforeEach(async () => {
  keyPages = await KeyPages.open(service);
});

describe("a new key", () => {
  test("is shown once, works, and is of the page's environment with the chosen scopes", async () => {
    const { statusCode, body, headers } = await keyPages.create();
    expect([statusCode, headers["cache-control"]]).toEqual([200, "no-store"]);
    const [key = "", ...others] = new Set(body.match(KEY));
    expect(key).toMatch(/^svc_test_/);
    expect(others).toEqual([]);
    const made = (await keyPages.list()).find(({ name }) => name === "Shop");
    expect(made).toMatchObject({ mode: Mode.TEST, scopes: ["quotes:write", "payments:read"] });
    const api = new Api(service, key);
    expect((await api.get("/v1/payments?from=2026-01-01&to=2026-01-31")).status).toBe(200);
    const page = (await keyPages.client.get(PATH)).body;
    expect(page).not.toContain(key);
    expect(page).toContain(`svc_test_…${key.slice(-4)}`);
    expect(page).toContain("Shop");
  });

  test("begins with the least that it may do and for a year", async () => {
    const { body } = await keyPages.client.get(`${PATH}/new`);
    const checked = (body.match(/<input[^>]*name="scopes"[^>]*>/g) ?? []).filter((box) =>
      /\schecked/.test(box),
    );
    expect(checked.map((box) => /value="([^"]+)"/.exec(box)?.[1])).toEqual(["payments:read"]);
    expect(body).toMatch(/<option value="365"\s+selected/);
    await keyPages.create({ expires: "365" });
    const made = (await keyPages.list()).find(({ name }) => name === "Shop");
    expect((Number(made?.expiresAt?.seconds) - Date.now() / 1000) / 86_400).toBeCloseTo(365, 2);
  });

  test.each([
    ["a wrong password", { password: "wrong" }, "Senha incorreta."],
    ["no password", { password: "" }, "Digite a sua senha."],
    ["no scope", { scopes: [] }, "Escolha ao menos uma permissão."],
    ["a scope that there is not", { scopes: ["everything"] }, "aceito"],
    ["a name too long", { name: "x".repeat(201) }, "No máximo 200 caracteres."],
  ])("is not made with %s; what was typed stays", async (_, form, text) => {
    const count = (await keyPages.list()).length;
    const { statusCode, body } = await keyPages.create(form);
    expect(statusCode).toBe(422);
    expect(body).toContain(text);
    expect(body).toContain(`value="${"name" in form ? form.name : "Shop"}"`);
    expect(body).not.toContain(`value="${keyPages.user.password}"`);
    expect(await keyPages.list()).toHaveLength(count);
  });

  test("is made once, however often its form is sent; the second answer shows no key", async () => {
    const page = (await keyPages.client.get(`${PATH}/new`)).body;
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page)?.[1] ?? "";
    const form = {
      form_token: field("form_token"),
      form_id: field("form_id"),
      name: "Twice",
      scopes: ["payments:read"],
      password: keyPages.user.password,
    };
    const twice = await Promise.all([1, 2].map(() => keyPages.client.send(`${PATH}/new`, form)));
    expect(twice.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const again = await keyPages.client.send(`${PATH}/new`, form);
    expect([again.statusCode, again.body.match(KEY)]).toEqual([409, null]);
    expect(again.body).toContain("Isto já foi feito");
    expect(again.body).toContain(`href="${PATH}"`);
    expect((await keyPages.list()).filter(({ name }) => name === "Twice")).toHaveLength(1);
    expect(
      (await keyPages.client.send(`${PATH}/new`, { ...form, form_id: crypto.randomUUID() })).statusCode,
    ).toBe(200);
  });

  test("has a name that stays a text", async () => {
    await keyPages.create({ name: HOSTILE });
    const { body } = await keyPages.client.get(PATH);
    expect(body).toContain(HOSTILE_ESCAPED);
    expect(body).not.toContain("<script>alert");
  });
});

describe("a key with limits", () => {
  test("is made to expire and for some addresses, and the list shows both", async () => {
    const { statusCode } = await keyPages.create({ expires: "30", addresses: "203.0.113.0/24\n2001:db8::1" });
    expect(statusCode).toBe(200);
    const made = (await keyPages.list()).find(({ name }) => name === "Shop");
    expect(made?.addresses).toEqual(["203.0.113.0/24", "2001:db8::1"]);
    const days = (Number(made?.expiresAt?.seconds) - Date.now() / 1000) / 86_400;
    expect(days).toBeCloseTo(30, 2);
    const { body } = await keyPages.client.get(PATH);
    expect(body).toContain("2001:db8::1");
    expect(body).toContain(new Date(Number(made?.expiresAt?.seconds) * 1000).toISOString());
    expect((await keyPages.create({ expires: "" })).statusCode).toBe(200);
    expect((await keyPages.client.get(PATH)).body).toContain("sem prazo");
  });

  test.each(["banana", "203.0.113.0/33", "127.1", "::ffff:203.0.113.0/120", "10.0.0.1 10.0.0.1"])(
    "is not made for %s",
    async (addresses) => {
      const count = (await keyPages.list()).length;
      const { statusCode, body } = await keyPages.create({ addresses });
      expect([statusCode, body.includes("Cada um é um endereço IP")]).toEqual([422, true]);
      expect(await keyPages.list()).toHaveLength(count);
    },
  );
});

test("keys of the other environment are on its own page alone", async () => {
  const ends = {
    test: `svc_test_…${keyPages.tenant.testKey.slice(-4)}`,
    live: `svc_live_…${keyPages.tenant.liveKey.slice(-4)}`,
  };
  const pages = {
    test: (await keyPages.client.get(PATH)).body,
    live: (await keyPages.client.get("/console/live/keys")).body,
  };
  expect([pages.test.includes(ends.test), pages.test.includes(ends.live)]).toEqual([true, false]);
  expect([pages.live.includes(ends.test), pages.live.includes(ends.live)]).toEqual([false, true]);
});

describe("a developer, who may not refund", () => {
  const OTHERS = SCOPES.filter((scope) => scope !== "refunds:write");

  test("is offered the other scopes alone; an owner is offered all", async () => {
    const { body } = await keyPages.client.get(`${PATH}/new`);
    expect(body.match(/(?<=name="scopes"[^>]*value=")[^"]+/g)).toEqual(OTHERS);
    const owner = new ConsoleClient(service, await createUser(service, keyPages.tenant.id, "owner"));
    expect((await owner.get(`${PATH}/new`)).body).toContain('value="refunds:write"');
    const form = { name: "Refunds", scopes: ["refunds:write"], password: PASSWORD };
    expect((await owner.post(`${PATH}/new`, `${PATH}/new`, form)).statusCode).toBe(200);
    expect((await keyPages.list()).find(({ name }) => name === "Refunds")?.scopes).toEqual(["refunds:write"]);
  });

  test.each([[["refunds:write"]], [["payments:read", "refunds:write"]], [[]]])(
    "cannot make a key with the scopes %j by a form of their own",
    async (scopes) => {
      const count = (await keyPages.list()).length;
      expect((await keyPages.create({ scopes })).statusCode).toBe(422);
      expect(await keyPages.list()).toHaveLength(count);
    },
  );

  test("cannot replace a key that may refund, and can revoke it", async () => {
    const { id } = await service.createKey(keyPages.tenant.id, "test", ["refunds:write", "payments:read"]);
    expect((await keyPages.client.get(PATH)).body).not.toContain(`${id}/rotate`);
    expect((await keyPages.client.get(`${PATH}/${id}/rotate`)).statusCode).toBe(403);
    const form = { overlap: "0", password: PASSWORD };
    expect((await keyPages.client.post(PATH, `${PATH}/${id}/rotate`, form)).statusCode).toBe(403);
    expect((await keyPages.list()).find((key) => key.id === id)).not.toHaveProperty("replacedBy");
    const revoked = await keyPages.client.post(PATH, `${PATH}/${id}/revoke`, { password: PASSWORD });
    expect(revoked.statusCode).toBe(303);
  });
});

test("the operator's command gives any scope to a key", async () => {
  const { id } = await service.createKey(keyPages.tenant.id, "test", ["refunds:write"]);
  expect((await keyPages.list()).find((key) => key.id === id)?.scopes).toEqual(["refunds:write"]);
});
