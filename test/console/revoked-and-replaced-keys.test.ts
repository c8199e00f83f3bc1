import { beforeEach, describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { Api } from "../support/api.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { startService } from "../support/service.ts";
import { forFile } from "../support/for-file.ts";
import { KEY, KeyPages, PATH } from "./key-pages.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
let keyPages: KeyPages;
beforeEach(async () => {
  keyPages = await KeyPages.open(service);
});

describe("revoking", () => {
  test("refuses the key from the next request on, and keeps it in the list", async () => {
    const [id = ""] = (await keyPages.list()).filter(({ mode }) => mode === Mode.TEST).map((key) => key.id);
    const api = new Api(service, keyPages.tenant.testKey);
    const get = async () => (await api.get("/v1/payments?from=2026-01-01&to=2026-01-31")).status;
    expect(await get()).toBe(200);
    const page = `${PATH}/${id}/revoke`;
    expect((await keyPages.client.post(page, page, { password: "wrong" })).statusCode).toBe(422);
    expect(await get()).toBe(200);
    const { statusCode, headers } = await keyPages.client.post(page, page, {
      password: keyPages.user.password,
    });
    expect([statusCode, headers.location]).toEqual([303, `${PATH}?done=revoked`]);
    expect(await get()).toBe(401);
    const { body } = await keyPages.client.get(`${PATH}?done=revoked`);
    expect(body).toContain("Revogada");
    expect(body).not.toContain(`${id}/revoke`);
    expect((await keyPages.client.get(`${PATH}/${id}/revoke`)).statusCode).toBe(404);
  });

  test("of a key of another environment or tenant is unknown", async () => {
    const other = await service.createTenant();
    const foreign = await service.createKey(other.id, "test");
    const [live = ""] = (await keyPages.list()).filter(({ mode }) => mode === Mode.LIVE).map((key) => key.id);
    for (const id of [foreign.id, live, "key_unknown"]) {
      expect((await keyPages.client.get(`${PATH}/${id}/revoke`)).statusCode).toBe(404);
      const answer = await keyPages.client.post(PATH, `${PATH}/${id}/revoke`);
      expect(answer.statusCode).toBe(404);
    }
    expect((await keyPages.list()).every(({ revokedAt }) => revokedAt === undefined)).toBe(true);
    const use = await new Api(service, foreign.key).get("/v1/payments?from=2026-01-01&to=2026-01-31");
    expect(use.status).toBe(200);
  });
});

describe("replacing", () => {
  // The tenant's first keys have every scope, which an owner alone may give.
  beforeEach(async () => {
    keyPages = await KeyPages.open(service, "owner");
  });
  const post = async (id: string, form: Record<string, string> = {}) =>
    await keyPages.client.post(`${PATH}/${id}/rotate`, `${PATH}/${id}/rotate`, {
      overlap: "3600",
      password: keyPages.user.password,
      ...form,
    });

  test("shows the new key once; the former is good for the overlap, and then it is shown as expired", async () => {
    const first = (await keyPages.list()).find(({ mode }) => mode === Mode.TEST);
    const [id, scopes] = [first?.id ?? "", first?.scopes ?? []];
    const { statusCode, body } = await post(id);
    const [key = ""] = new Set(body.match(KEY));
    expect([statusCode, key.slice(0, 9)]).toEqual([200, "svc_test_"]);
    const [former, next] = (await keyPages.list()).filter(({ mode }) => mode === Mode.TEST);
    expect(next).toMatchObject({ scopes, lastFour: key.slice(-4) });
    expect(Number(former?.expiresAt?.seconds) - service.clock.nowMs() / 1000).toBeCloseTo(3600, -2);
    expect((await keyPages.client.get(PATH)).body).not.toContain(key);
    expect((await keyPages.client.get(PATH)).body).toContain("Já trocada");
    expect((await keyPages.client.get(PATH)).body).not.toContain(`${id}/rotate`);
    for (const [language, text] of [
      ["pt-BR", "Esta chave já foi trocada por outra"],
      ["en", "This key was replaced by another one already"],
    ] as const) {
      keyPages.client.cookies.set("paylink_language", language);
      const again = await post(id);
      expect([again.statusCode, again.body.match(KEY), again.body.includes(text)]).toEqual([422, null, true]);
      expect((await keyPages.client.get(`${PATH}/${id}/rotate`)).body).toContain(text);
    }
    keyPages.client.cookies.set("paylink_language", "pt-BR");
    await rows.run("UPDATE identity.api_key SET expires_at = now() - interval '1 s' WHERE id = $1", [id]);
    expect((await keyPages.client.get(PATH)).body).toContain("Expirada");
    expect((await keyPages.client.get(`${PATH}/${id}/rotate`)).statusCode).toBe(404);
  });

  test("asks for the password, and is of the page's environment and company alone", async () => {
    const keys = await keyPages.list();
    const other = await service.createKey((await service.createTenant()).id, "test");
    const [own = "", live = ""] = [Mode.TEST, Mode.LIVE].map(
      (mode) => keys.find((key) => key.mode === mode)?.id,
    );
    expect((await post(own, { password: "wrong" })).statusCode).toBe(422);
    for (const id of [live, other.id]) {
      const form = { password: keyPages.user.password };
      expect((await keyPages.client.post(PATH, `${PATH}/${id}/rotate`, form)).statusCode).toBe(404);
    }
    expect(await keyPages.list()).toHaveLength(2);
  });
});
