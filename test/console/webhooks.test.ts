import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DeliveryStatus, WebhookEndpointStatus } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { ConsoleClient, createUser, type TestUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { HOSTILE, HOSTILE_ESCAPED } from "../support/hostile-texts.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startReceiver, verified, type Receiver } from "../support/receiver.ts";
import { startService, type TestService } from "../support/service.ts";

const PAGE = "/console/test/webhooks";
const PATIENCE = { timeout: 15_000 };

let service: TestService;
let worker: { stop(): Promise<void> };
let receiver: Receiver;
let merchant: Merchant;
let user: TestUser;
let by: ConsoleClient;
beforeAll(async () => {
  service = await startService("direct", { delivery: { schedule: [0], timeoutMs: 1500 } });
  worker = service.core.startWorker();
  receiver = await startReceiver();
  merchant = await createMerchant(service);
  user = await createUser(service, merchant.tenant.id, "developer");
  by = new ConsoleClient(service, user);
});
afterAll(async () => {
  await worker.stop();
  await receiver.close();
  await service.close();
});

let count = 0;
/** An endpoint made on its page, and the secret that was shown. */
async function newEndpoint(types: string[] = []) {
  count += 1;
  const url = new URL(`/hook-${count}?a=1&b=2`, receiver.url).href;
  const { statusCode, body } = await by.post(`${PAGE}/new`, `${PAGE}/new`, {
    url,
    event_types: types,
    password: user.password,
  });
  const id = /webhooks\/endpoints\/(we_\w{26})/.exec(body)?.[1] ?? "";
  const secret = secretOn(body);
  return { statusCode, url, id, secret, page: `${PAGE}/endpoints/${id}` };
}

function secretOn(body: string): string {
  return /value="(whsec_[^"]+)"/.exec(body)?.[1] ?? "";
}

async function endpoint(id: string) {
  const { endpoints } = await merchant.webhooks.listWebhookEndpoints({}, merchant.as);
  return endpoints.find((one) => one.id === id);
}

/** Sends a test event on the endpoint's page, and answers its delivery when it came to an end. */
async function tested(page: string) {
  const { statusCode, headers } = await by.post(page, `${page}/test`);
  const id = /deliveries\/(dlv_\w{26})$/.exec(String(headers.location))?.[1] ?? "";
  expect([statusCode, headers.location]).toEqual([303, `${PAGE}/deliveries/${id}`]);
  await ended(id, 1);
  return { id, page: `${PAGE}/deliveries/${id}` };
}

async function ended(id: string, attemptCount: number): Promise<void> {
  const read = async () => (await merchant.webhooks.getDelivery({ id }, merchant.as)).delivery;
  await expect.poll(async () => (await read())?.attemptCount, PATIENCE).toBe(attemptCount);
  expect((await read())?.status).not.toBe(DeliveryStatus.PENDING);
}

describe("an endpoint", () => {
  test("is made with its types, and its secret is on that answer alone", async () => {
    const { statusCode, id, url, secret, page } = await newEndpoint(["payment.failed", "link.expired"]);
    expect(statusCode).toBe(200);
    expect(await endpoint(id)).toMatchObject({ url, eventTypes: ["payment.failed", "link.expired"] });
    for (const path of [PAGE, page, `${page}/edit`, `${page}/rotate`]) {
      const { body } = await by.get(path);
      expect(body).toContain("&amp;b=2");
      expect(body).not.toContain(secret);
    }
    await tested(page);
    const [received] = await receiver.until(1, ({ path }) => url.endsWith(path));
    expect(received && verified(received, secret)).toMatchObject({ type: "webhook.test" });
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
    expect(body).toContain("Senha incorreta.");
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
    const { id, page, url } = await newEndpoint(["payment.failed"]);
    const moved = `${url}&moved=1`;
    for (const password of ["", "wrong"]) {
      const refused = await by.post(`${page}/edit`, `${page}/edit`, { url: moved, password });
      expect([refused.statusCode, (await endpoint(id))?.url]).toEqual([422, url]);
      expect(refused.body).toContain("field-password-problem");
    }
    const { password } = user;
    const changed = await by.post(`${page}/edit`, `${page}/edit`, { url: moved, password });
    expect([changed.statusCode, changed.headers.location]).toEqual([303, `${page}?done=updated`]);
    expect(await endpoint(id)).toMatchObject({ url: moved, eventTypes: [] });
    const bad = await by.post(`${page}/edit`, `${page}/edit`, { url: "ftp://x", password });
    expect([bad.statusCode, (await endpoint(id))?.url]).toEqual([422, moved]);

    expect((await by.post(page, `${page}/disable`)).headers.location).toBe(`${page}?done=disabled`);
    expect((await endpoint(id))?.status).toBe(WebhookEndpointStatus.DISABLED);
    const { body } = await by.get(page);
    expect(body).toContain("Desativado por alguém da empresa");
    expect(body).not.toContain(`${page}/test`);
    const { statusCode } = await by.post(page, `${page}/test`);
    expect(statusCode).toBe(422);
    expect((await by.post(page, `${page}/enable`)).statusCode).toBe(422);
    expect((await endpoint(id))?.status).toBe(WebhookEndpointStatus.DISABLED);
    const enabled = await by.post(`${page}/enable`, `${page}/enable`, { password });
    expect(enabled.headers.location).toBe(`${page}?done=enabled`);
    expect((await endpoint(id))?.status).toBe(WebhookEndpointStatus.ENABLED);
  });

  test("gets a new secret for the user's password, and both sign", async () => {
    const { page, secret, url } = await newEndpoint();
    const refused = await by.post(`${page}/rotate`, `${page}/rotate`, { password: "wrong" });
    expect([refused.statusCode, secretOn(refused.body)]).toEqual([422, ""]);
    const rotated = await by.post(`${page}/rotate`, `${page}/rotate`, { password: user.password });
    const next = secretOn(rotated.body);
    expect(rotated.statusCode).toBe(200);
    expect(next).not.toBe(secret);
    expect((await by.get(page)).body).toContain("O segredo anterior ainda assina até");
    await tested(page);
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
    const { id, page } = await newEndpoint();
    const delivery = await tested(page);
    const refused = await by.post(`${page}/delete`, `${page}/delete`, { password: "wrong" });
    expect([refused.statusCode, (await endpoint(id))?.id]).toEqual([422, id]);
    const gone = await by.post(`${page}/delete`, `${page}/delete`, { password: user.password });
    expect([gone.statusCode, gone.headers.location]).toEqual([303, `${PAGE}?deleted=1`]);
    expect(await endpoint(id)).toBeUndefined();
    expect((await by.get(page)).statusCode).toBe(404);
    const { statusCode, body } = await by.get(delivery.page);
    expect(statusCode).toBe(200);
    expect(body).toContain("endpoint excluído");
    expect(body).not.toContain(`${delivery.page}/resend`);
  });

  test("is sent again what it missed since a day", async () => {
    const { page, url } = await newEndpoint(["payment.succeeded"]);
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

describe("a delivery's page", () => {
  test("has what was sent and answered, any content as text, and sends again", async () => {
    const { page, url, secret } = await newEndpoint();
    receiver.answer((_received, response) => void response.writeHead(500).end(HOSTILE));
    const delivery = await tested(page);
    receiver.answer((_received, response) => void response.writeHead(200).end("ok"));
    const { body } = await by.get(delivery.page);
    expect(body).toContain("500: a resposta não foi 2xx");
    expect(body).toContain(HOSTILE_ESCAPED);
    expect(body).toContain(`POST ${url.replaceAll("&", "&amp;")}`);
    const [received] = await receiver.until(1, ({ path }) => url.endsWith(path));
    expect(body).toContain(`webhook-signature: ${String(received?.headers["webhook-signature"])}`);
    expect(body).toContain(received?.text.replaceAll('"', "&quot;") ?? "nothing");
    expect(body).not.toContain(secret);
    const again = await by.post(delivery.page, `${delivery.page}/resend`);
    expect(again.headers.location).toBe(`${delivery.page}?resent=1`);
    await ended(delivery.id, 2);
    expect((await by.get(delivery.page)).body).toContain("Tentativa 2");
  });

  test("refreshes itself only while attempts are in progress", async () => {
    const { page } = await newEndpoint();
    const delivery = await tested(page);
    expect((await by.get(delivery.page)).body).not.toContain("data-hx-get");
    const rows = await new DatabaseRows(service.databaseUrl).open();
    const looksAgain = async (seconds: number) => {
      const due = new Date(Date.now() + seconds * 1000);
      await rows.run(
        "UPDATE test.webhook_delivery SET status = 'pending', next_attempt_at = $2 WHERE id = $1",
        [delivery.id, due],
      );
      return (await by.get(delivery.page)).body.includes("data-hx-get");
    };
    expect(await looksAgain(30)).toBe(true);
    expect(await looksAgain(-10)).toBe(true);
    // An open page is no use of the session, which ends by its limit though the delivery is never done.
    for (const seconds of [600, -600]) expect([seconds, await looksAgain(seconds)]).toEqual([seconds, false]);
    await rows.close();
  });
});

describe("the log of deliveries", () => {
  test("is narrowed by endpoint, status, type and day", async () => {
    const [one, two] = [await newEndpoint(["payment.succeeded"]), await newEndpoint(["link.expired"])];
    const [first, second] = [await tested(one.page), await tested(two.page)];
    await merchant.pay({ reference: "narrowed" });
    const paid = async () =>
      (
        await merchant.webhooks.listDeliveries(
          { endpointId: one.id, eventType: "payment.succeeded" },
          merchant.as,
        )
      ).deliveries[0];
    await expect.poll(async () => (await paid())?.attemptCount, PATIENCE).toBe(1);
    const shown = async (query: string) => {
      const { statusCode, body } = await by.get(`${PAGE}/deliveries?${query}`);
      expect(statusCode).toBe(200);
      return [first.id, second.id, (await paid())?.id ?? ""].map((id) => body.includes(`deliveries/${id}`));
    };
    expect(await shown(`endpoint=${one.id}`)).toEqual([true, false, true]);
    expect(await shown(`endpoint=${one.id}&type=webhook.test`)).toEqual([true, false, false]);
    expect(await shown(`type=payment.succeeded`)).toEqual([false, false, true]);
    expect(await shown(`status=succeeded&endpoint=${two.id}`)).toEqual([false, true, false]);
    expect(await shown(`status=failed&endpoint=${two.id}`)).toEqual([false, false, false]);
    expect(await shown("since=2999-01-01")).toEqual([false, false, false]);
    // What is no filter narrows nothing.
    const odd = ["status=odd", "since=1-1-1", "after=odd", `type=${"x".repeat(99)}`, "since=0000-01-01"];
    for (const query of odd) expect([query, await shown(query)]).toEqual([query, [true, true, true]]);
  });

  test("sends the chosen ones again, shows what was left out, and keeps the filter", async () => {
    const [one, two] = [await newEndpoint(), await newEndpoint()];
    const [first, second] = [await tested(one.page), await tested(two.page)];
    await by.post(two.page, `${two.page}/disable`);
    const log = `${PAGE}/deliveries`;
    const form = {
      delivery: [first.id, second.id],
      type: "webhook.test",
      endpoint: "",
      status: "",
      since: "",
    };
    const { statusCode, headers } = await by.post(log, `${log}/resend`, form);
    expect([statusCode, headers.location]).toEqual([303, `${log}?type=webhook.test&resent=1&left=1`]);
    await ended(first.id, 2);
    const none = await by.post(log, `${log}/resend`, { type: "webhook.test" });
    expect(none.statusCode).toBe(422);
    expect(none.body).toContain("Escolha ao menos uma entrega");
    expect(none.body).toMatch(/value="webhook.test"\s+selected/);
  });
});

test("nothing of another tenant or of the other mode is there", async () => {
  const { page, id, url } = await newEndpoint();
  const delivery = await tested(page);
  const other = await createMerchant(service);
  const stranger = new ConsoleClient(service, await createUser(service, other.tenant.id, "owner"));
  const before = await endpoint(id);
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
  expect(await endpoint(id)).toEqual(before);
  await merchant.webhooks.disableWebhookEndpoint({ id }, merchant.as);
});
