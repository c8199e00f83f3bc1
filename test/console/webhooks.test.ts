import { describe, expect, test } from "vitest";
import { WebhookEndpointStatus } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { createMerchant } from "../support/merchant.ts";
import { verified } from "../support/receiver.ts";
import { PAGE, secretOn, WebhookPages } from "./webhook-pages.ts";

const pages = await WebhookPages.forFile();
const { service, merchant, receiver, user, by } = pages;

describe("an endpoint", () => {
  test("is made with its types, and its secret is on that answer alone", async () => {
    const { statusCode, id, url, secret, page } = await pages.newEndpoint(["payment.failed", "link.expired"]);
    expect(statusCode).toBe(200);
    expect(await pages.endpoint(id)).toMatchObject({ url, eventTypes: ["payment.failed", "link.expired"] });
    for (const path of [PAGE, page, `${page}/edit`, `${page}/rotate`]) {
      const { body } = await by.get(path);
      expect(body).toContain("&amp;b=2");
      expect(body).not.toContain(secret);
    }
    await pages.tested(page);
    const [received] = await receiver.until(1, ({ path }) => url.endsWith(path));
    expect(received && verified(received, secret)).toMatchObject({ type: "webhook.test" });
  });

  test("made over REST shows its kinds and description, which its form has and changes", async () => {
    const given = { url: receiver.url, event_types: ["payment.*", "link.expired"] };
    const texts = { description: "Loja & cia", metadata: { team: "orders" } };
    const { body: made } = await merchant.api.post("/v1/webhook_endpoints", { ...given, ...texts });
    const page = `${PAGE}/endpoints/${made.id}`;
    const { body } = await by.get(page);
    expect(body).toContain("payment.*, link.expired");
    expect(body).toContain("Loja &amp; cia");
    const form = (await by.get(`${page}/edit`)).body;
    expect(form).toMatch(/value="payment\.\*"\s+checked/);
    expect(form).toMatch(/value="link\.expired"\s+checked/);
    expect(form).not.toMatch(/value="refund\.\*"\s+checked/);
    expect(form).toContain('value="Loja &amp; cia"');
    const save = async (description: string) =>
      await by.post(`${page}/edit`, `${page}/edit`, { ...given, description, password: user.password });
    expect((await save("Pedidos")).statusCode).toBe(303);
    expect(await pages.endpoint(made.id)).toMatchObject({
      eventTypes: given.event_types,
      description: "Pedidos",
      metadata: texts.metadata,
    });
    expect((await save("")).statusCode).toBe(303);
    expect(await pages.endpoint(made.id)).not.toHaveProperty("description");
    expect((await save("x".repeat(256))).statusCode).toBe(422);
  });

  test.each([
    ["", "Preencha este campo"],
    ["http://10.0.0.1/", "use um https://"],
    ["https://user:secret@shop.example.com/", "use um https://"],
    ["no address", "use um https://"],
    [`https://shop.example.com/${"x".repeat(2100)}`, "use um https://"],
  ])("is not made at %j, and the form says why and keeps what was typed", async (url, text) => {
    const { length } = (await merchant.webhooks.listWebhookEndpoints({}, merchant.as)).endpoints;
    const form = { url, event_types: ["link.expired"], password: user.password };
    const { statusCode, body } = await by.post(`${PAGE}/new`, `${PAGE}/new`, form);
    expect(statusCode).toBe(422);
    expect(body).toContain(text);
    expect(body).toContain(`value="${url}"`);
    expect(body).toMatch(/value="link.expired"\s+checked/);
    expect((await merchant.webhooks.listWebhookEndpoints({}, merchant.as)).endpoints).toHaveLength(length);
  });

  test.each(["", "wrong"])("is not made with the password %j; what was typed stays", async (password) => {
    const { length } = (await merchant.webhooks.listWebhookEndpoints({}, merchant.as)).endpoints;
    const form = { url: receiver.url, password };
    const { statusCode, body } = await by.post(`${PAGE}/new`, `${PAGE}/new`, form);
    expect([statusCode, secretOn(body)]).toEqual([422, ""]);
    expect(body).toContain(password === "" ? "Digite a sua senha." : "Senha incorreta.");
    expect(body).toContain(`value="${receiver.url}"`);
    expect((await merchant.webhooks.listWebhookEndpoints({}, merchant.as)).endpoints).toHaveLength(length);
  });

  test("is made once, however often its form is sent, also after it is deleted", async () => {
    const page = (await by.get(`${PAGE}/new`)).body;
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page)?.[1] ?? "";
    const url = new URL("/once", receiver.url).href;
    const form = {
      form_token: field("form_token"),
      form_id: field("form_id"),
      url,
      password: user.password,
    };
    const twice = await Promise.all([1, 2].map(() => by.send(`${PAGE}/new`, form)));
    expect(twice.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const { endpoints } = await merchant.webhooks.listWebhookEndpoints({}, merchant.as);
    const made = endpoints.filter((one) => one.url === url);
    expect(made).toHaveLength(1);
    await merchant.webhooks.deleteWebhookEndpoint({ id: made[0]?.id ?? "" }, merchant.as);
    const again = await by.send(`${PAGE}/new`, form);
    expect([again.statusCode, secretOn(again.body)]).toEqual([409, ""]);
    expect(again.body).toContain("Isto já foi feito");
    expect(again.body).toContain(`href="${PAGE}"`);
  });

  test("is changed, disabled and enabled", async () => {
    const { id, page, url } = await pages.newEndpoint(["payment.failed"]);
    const moved = `${url}&moved=1`;
    for (const password of ["", "wrong"]) {
      const refused = await by.post(`${page}/edit`, `${page}/edit`, { url: moved, password });
      expect([refused.statusCode, (await pages.endpoint(id))?.url]).toEqual([422, url]);
      expect(refused.body).toContain("field-password-problem");
    }
    const { password } = user;
    const changed = await by.post(`${page}/edit`, `${page}/edit`, { url: moved, password });
    expect([changed.statusCode, changed.headers.location]).toEqual([303, `${page}?done=updated`]);
    expect(await pages.endpoint(id)).toMatchObject({ url: moved, eventTypes: [] });
    const bad = await by.post(`${page}/edit`, `${page}/edit`, { url: "ftp://x", password });
    expect([bad.statusCode, (await pages.endpoint(id))?.url]).toEqual([422, moved]);

    expect((await by.post(page, `${page}/disable`)).headers.location).toBe(`${page}?done=disabled`);
    expect((await pages.endpoint(id))?.status).toBe(WebhookEndpointStatus.DISABLED);
    const { body } = await by.get(page);
    expect(body).toContain("Desativado por alguém da empresa");
    expect(body).not.toContain(`${page}/test`);
    const { statusCode } = await by.post(page, `${page}/test`);
    expect(statusCode).toBe(422);
    expect((await by.post(page, `${page}/enable`)).statusCode).toBe(422);
    expect((await pages.endpoint(id))?.status).toBe(WebhookEndpointStatus.DISABLED);
    const enabled = await by.post(`${page}/enable`, `${page}/enable`, { password });
    expect(enabled.headers.location).toBe(`${page}?done=enabled`);
    expect((await pages.endpoint(id))?.status).toBe(WebhookEndpointStatus.ENABLED);
  });

  test("gets a new secret for the user's password, and both sign", async () => {
    const { page, secret, url } = await pages.newEndpoint();
    const refused = await by.post(`${page}/rotate`, `${page}/rotate`, { password: "wrong" });
    expect([refused.statusCode, secretOn(refused.body)]).toEqual([422, ""]);
    const rotated = await by.post(`${page}/rotate`, `${page}/rotate`, { password: user.password });
    const next = secretOn(rotated.body);
    expect(rotated.statusCode).toBe(200);
    expect(next).not.toBe(secret);
    expect((await by.get(page)).body).toContain("O segredo anterior ainda assina até");
    await pages.tested(page);
    const [received] = await receiver.until(1, ({ path }) => url.endsWith(path));
    for (const key of [secret, next]) {
      expect(received && verified(received, key)).toMatchObject({ type: "webhook.test" });
    }
    for (let times = 0; times < 4; times++) {
      await by.post(`${page}/rotate`, `${page}/rotate`, { password: user.password });
    }
    const sixth = await by.post(`${page}/rotate`, `${page}/rotate`, { password: user.password });
    expect([sixth.statusCode, secretOn(sixth.body)]).toEqual([422, ""]);
    expect(sixth.body).toContain("até 5 vezes em 24 horas");
  });

  test("is deleted for the user's password; its deliveries stay in the log", async () => {
    const { id, page } = await pages.newEndpoint();
    const delivery = await pages.tested(page);
    const refused = await by.post(`${page}/delete`, `${page}/delete`, { password: "wrong" });
    expect([refused.statusCode, (await pages.endpoint(id))?.id]).toEqual([422, id]);
    const gone = await by.post(`${page}/delete`, `${page}/delete`, { password: user.password });
    expect([gone.statusCode, gone.headers.location]).toEqual([303, `${PAGE}?deleted=1`]);
    expect(await pages.endpoint(id)).toBeUndefined();
    expect((await by.get(page)).statusCode).toBe(404);
    const { statusCode, body } = await by.get(delivery.page);
    expect(statusCode).toBe(200);
    expect(body).toContain("endpoint excluído");
    expect(body).not.toContain(`${delivery.page}/resend`);
  });

  test("is sent again what it missed since a day", async () => {
    const { page, url } = await pages.newEndpoint(["payment.succeeded"]);
    await by.post(page, `${page}/disable`);
    await merchant.pay();
    await by.post(page, `${page}/enable`, { password: user.password });
    const bad = await by.post(page, `${page}/resend-failed`, { since: "2026-02-31" });
    expect([bad.statusCode, bad.body.includes("Escolha uma data.")]).toEqual([422, true]);
    const day = new Date(service.clock.nowMs() - 3 * 86_400_000).toISOString().slice(0, 10);
    const { headers } = await by.post(page, `${page}/resend-failed`, { since: day });
    expect(headers.location).toBe(`${page}?count=1`);
    await receiver.until(1, ({ path }) => url.endsWith(path));
  });
});

test("nothing of another tenant or of the other mode is there", async () => {
  const { page, id, url } = await pages.newEndpoint();
  const delivery = await pages.tested(page);
  const other = await createMerchant(service);
  const stranger = new ConsoleClient(service, await createUser(service, other.tenant.id, "owner"));
  const before = await pages.endpoint(id);
  for (const [visitor, mode] of [
    [stranger, "test"],
    [by, "live"],
  ] as const) {
    const base = `/console/${mode}/webhooks`;
    const foreign = [
      `endpoints/${id}`,
      `endpoints/${id}/edit`,
      `endpoints/${id}/rotate`,
      `deliveries/${delivery.id}`,
    ];
    for (const path of foreign) expect((await visitor.get(`${base}/${path}`)).statusCode).toBe(404);
    for (const path of ["", "/deliveries", `/deliveries?endpoint=${id}`]) {
      expect((await visitor.get(`${base}${path}`)).body).not.toContain(url.slice(7, 30));
    }
    const password = user.password;
    const changes = ["edit", "disable", "enable", "test", "rotate", "delete"].map(
      (what) => `endpoints/${id}/${what}`,
    );
    for (const path of [...changes, `deliveries/${delivery.id}/resend`]) {
      const form = { form_token: await visitor.formToken(`/console/${mode}`), url, password };
      expect([path, (await visitor.send(`${base}/${path}`, form)).statusCode]).toEqual([path, 404]);
    }
  }
  expect(await pages.endpoint(id)).toEqual(before);
  await merchant.webhooks.disableWebhookEndpoint({ id }, merchant.as);
});
