import { describe, expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { HOSTILE, HOSTILE_ESCAPED } from "../support/hostile-texts.ts";
import { PAGE, PATIENCE, WebhookPages } from "./webhook-pages.ts";

const pages = await WebhookPages.forFile();
const { service, merchant, receiver, by } = pages;

describe("a delivery's page", () => {
  test("has what was sent and answered, any content as text, and sends again", async () => {
    const { page, url, secret } = await pages.newEndpoint();
    receiver.answer((_received, response) => void response.writeHead(500).end(HOSTILE));
    const delivery = await pages.tested(page);
    receiver.answer((_received, response) => void response.writeHead(200).end("ok"));
    const { body } = await by.get(delivery.page);
    expect(body).toContain("500: a resposta não foi 2xx");
    expect(body.replaceAll("<wbr />", "")).toContain(HOSTILE_ESCAPED);
    expect(body).toContain(`POST ${url.replaceAll("&", "&amp;")}`);
    const [received] = await receiver.until(1, ({ path }) => url.endsWith(path));
    expect(body).toContain(`webhook-signature: ${String(received?.headers["webhook-signature"])}`);
    expect(body.replaceAll("<wbr />", "")).toContain(received?.text.replaceAll('"', "&quot;") ?? "nothing");
    expect(body).not.toContain(secret);
    const again = await by.post(delivery.page, `${delivery.page}/resend`);
    expect(again.headers.location).toMatch(/\?resent=1&proof=[\w-]+$/);
    expect((await by.get(again.headers.location ?? "")).body).toContain("Entregas a caminho: 1.");
    // A stranger's link shows no numbers.
    expect((await by.get(`${delivery.page}?resent=1`)).body).not.toContain("Entregas a caminho");
    await pages.ended(delivery.id, 2);
    expect((await by.get(delivery.page)).body).toContain("Tentativa 2");
  });

  test("an answer of commas alone breaks once in 20 of them", async () => {
    const { page } = await pages.newEndpoint();
    receiver.answer((_received, response) => void response.writeHead(500).end(",".repeat(4096)));
    const delivery = await pages.tested(page);
    receiver.answer((_received, response) => void response.writeHead(200).end("ok"));
    const { body } = await by.get(delivery.page);
    const [answered = ""] = /<pre[^>]*>(?:,|<wbr \/>)+<\/pre>/.exec(body) ?? [];
    expect(answered.match(/,/g)?.length).toBe(4096);
    expect(answered.match(/<wbr/g)?.length).toBeLessThanOrEqual(Math.ceil(4096 / 20));
  });

  test("refreshes itself only while attempts are in progress", async () => {
    const { page } = await pages.newEndpoint();
    const delivery = await pages.tested(page);
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
    const [one, two] = [
      await pages.newEndpoint(["payment.succeeded"]),
      await pages.newEndpoint(["link.expired"]),
    ];
    const [first, second] = [await pages.tested(one.page), await pages.tested(two.page)];
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
    const [one, two] = [await pages.newEndpoint(), await pages.newEndpoint()];
    const [first, second] = [await pages.tested(one.page), await pages.tested(two.page)];
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
    const made = `${log}?type=webhook.test&resent=1&left=1&proof=`;
    expect([statusCode, headers.location?.slice(0, made.length)]).toEqual([303, made]);
    expect((await by.get(headers.location ?? "")).body).toContain("Entregas a caminho: 1.");
    const forged = headers.location?.replace("resent=1", "resent=9") ?? "";
    expect((await by.get(forged)).body).not.toContain("Entregas a caminho");
    await pages.ended(first.id, 2);
    const none = await by.post(log, `${log}/resend`, { type: "webhook.test" });
    expect(none.statusCode).toBe(422);
    expect(none.body).toContain("Escolha ao menos uma entrega");
    expect(none.body).toMatch(/value="webhook.test"\s+selected/);
  });
});
