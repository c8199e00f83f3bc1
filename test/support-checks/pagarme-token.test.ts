import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { BrowserContext, Page } from "playwright-core";
import { hasBrowser, sharedBrowser } from "../support/browser.ts";
import { forFile } from "../support/for-file.ts";
import { startReceiver } from "../support/receiver.ts";
import { calledPagarme, NOW, PUBLIC, VISA } from "./pagarme-called.ts";

const { pagarme, call, order, token } = await forFile(calledPagarme());
beforeEach(() => pagarme.clock.set(NOW));

describe("a token", () => {
  test("is of use once, within 60 seconds", async () => {
    const used = await token();
    expect((await order({ token: used })).body.status).toBe("paid");
    expect((await order({ token: used })).status).toBe(422);
    const late = await token();
    pagarme.clock.advance(60);
    expect((await order({ token: late })).status).toBe(422);
  });

  test.each<[string, object]>([
    ["card.number", { number: "4000000000000011" }],
    ["card.exp_month", { exp_month: 13 }],
    ["card", { exp_month: 6, exp_year: 26 }],
    ["card.cvv", { cvv: "12" }],
    ["card.holder_name", { holder_name: " " }],
  ])("is refused for its %s", async (field, wrong) => {
    const card = { number: VISA, holder_name: "ANA", exp_month: "7", exp_year: "26", cvv: "123", ...wrong };
    const { status, body } = await call("POST", `/tokens?appId=${PUBLIC}`, { type: "card", card });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  test("is refused without the public key", async () => {
    expect((await call("POST", "/tokens?appId=pk_test_wrong", { type: "card" })).status).toBe(422);
  });
});

describe.skipIf(!hasBrowser)("in a browser, a page", async () => {
  const shop = await forFile(startReceiver());
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    context = await (await sharedBrowser()).newContext();
    page = await context.newPage();
    shop.answer(
      (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Loja</h1>"),
    );
  });
  afterAll(async () => await context.close());

  /** Asks for a token as the shop's page does. */
  const asked = async (address: string): Promise<string> => {
    await page.goto(address);
    const card = { number: VISA, holder_name: "ANA", exp_month: 12, exp_year: 30, cvv: "123" };
    return await page.evaluate(
      async ([url, body]) => {
        try {
          const headers = { "content-type": "application/json" };
          const answer = await fetch(url ?? "", { method: "POST", headers, body: body ?? "" });
          return ((await answer.json()) as { id: string }).id;
        } catch (error) {
          return String(error);
        }
      },
      [`${pagarme.baseUrl}/tokens?appId=${PUBLIC}`, JSON.stringify({ type: "card", card })],
    );
  };

  test("of a registered host gets a token", async () => {
    const id = await asked(shop.url);
    expect(id).toMatch(/^token_/);
    expect((await order({ token: id })).body.status).toBe("paid");
    expect(
      pagarme.requests.findLast((one) => one.call === "createToken")?.headers["authorization"],
    ).toBeUndefined();
  });

  test("of another host does not", async () => {
    expect(await asked(shop.url.replace("127.0.0.1", "localhost"))).toMatch(/^TypeError/);
  });
});
