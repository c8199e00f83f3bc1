import { expect, test } from "vitest";
import { ConsoleClient, createUser } from "../support/console.ts";
import { textOf } from "../support/page-text.ts";
import { PAGE, PATIENCE, WebhookPages } from "./webhook-pages.ts";

const pages = await WebhookPages.forFile();
const { service, merchant, by } = pages;
const viewer = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "viewer"));

test("a payment's page counts one attempt in the singular, and calls events by one word", async () => {
  await pages.newEndpoint();
  const { body: payment } = await merchant.pay();
  const page = async () => textOf((await viewer.get(`/console/test/payments/${payment.id}`)).body);
  await expect.poll(page, PATIENCE).toContain("1 tentativa ");
  const text = await page();
  expect(text).not.toContain("1 tentativas");
  expect(text).toContain("Eventos");
  expect(text).not.toContain("Acontecimento");
});

test("a delivery's body may break after a comma, is the one that was sent, and leads to its payment", async () => {
  const { body: payment } = await merchant.pay();
  const request = { eventType: "payment.succeeded", limit: 1 };
  const { deliveries } = await merchant.webhooks.listDeliveries(request, merchant.as);
  const { body } = await by.get(`${PAGE}/deliveries/${deliveries[0]?.id}`);
  expect(body).toContain(`href="/console/test/payments/${payment.id}"`);
  const [, sent = ""] = /<pre[^>]*>([^]*?)<\/pre>/.exec(body) ?? [];
  expect(sent).toContain(",<wbr />");
  const text = sent.replaceAll("<wbr />", "").replaceAll("&quot;", '"');
  const { event } = await merchant.webhooks.getEvent({ id: deliveries[0]?.eventId ?? "" }, merchant.as);
  expect(text).toBe(new TextDecoder().decode(event?.body));
});

test.each(["/payments/pay_00000000000000000000000000", "/links/none", "/nothing/at/all"])(
  "%s, which there is not, keeps the navigation",
  async (path) => {
    const { statusCode, body } = await viewer.get(`/console/test${path}`);
    expect(statusCode).toBe(404);
    expect(body).toContain('class="sections"');
    expect(body).toContain('href="/console/test/payments"');
  },
);

test("links of days in the wrong order say what to choose", async () => {
  const { statusCode, body } = await viewer.get("/console/test/links?from=2026-03-03&to=2026-03-02");
  expect(statusCode).toBe(422);
  expect(body).toContain("Escolha dias que existem, o primeiro não depois do último.");
  expect(body).not.toContain("Este valor não é aceito");
});

test("a form that is too large says so, and keeps the navigation of who is signed in", async () => {
  const form = { description: "x".repeat(70_000) };
  const { statusCode, body } = await by.send("/console/test/links/new", form);
  expect([statusCode, body.includes('class="sections"')]).toEqual([413, true]);
  expect(body).toContain("grande demais");
  const guest = await new ConsoleClient(service).send("/console/test/links/new", form);
  expect([guest.statusCode, guest.body.includes('class="sections"')]).toEqual([413, false]);
});
