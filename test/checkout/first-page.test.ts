import { describe, expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { secondService } from "../support/service.ts";
import { FORM, PageCaller } from "./page-caller.ts";

const { service, merchant, rows, get, post } = await forFile(PageCaller.start());

const paymentsOf = async (link: string): Promise<number> =>
  await rows.count("test.payment WHERE link_id = $1", [link]);
/** Presses a button of the link's first page, and returns where it leads. */
const press = async (link: string, way: string): Promise<string> =>
  String((await post(`/pay/${link}/sessions`, { way })).headers.location);

describe("a link's first page", () => {
  test("has Pix first with its button, and one button alone where there is nothing else to choose", async () => {
    const buttons = async (given: object): Promise<string[]> => {
      const { body } = await get(`/pay/${await merchant.newLink(given)}`);
      return [...body.matchAll(/<button[^>]*value="([^"]+)"/g)].map(([, way = ""]) => way);
    };
    expect(await buttons({ payment_methods: ["card", "pix"] })).toEqual(["pix-1", "card"]);
    expect(await buttons({ payment_methods: ["pix"] })).toEqual(["pix-1"]);
    expect(await buttons({ payment_methods: ["card"] })).toEqual(["card"]);
  });

  test("leads to the code at once where it has shown the total and nothing is asked", async () => {
    const link = await merchant.newLink();
    const { body } = await get(await press(link, "pix-1"));
    expect(body).toMatch(/id="pix_code"[^>]*>000201/);
    expect(body).toContain('data-total="15990"');
    expect(await paymentsOf(link)).toBe(1);
  });

  test.each([
    ["the payer pays the fee", { fee_handling: "pass_through" }],
    ["a telephone number is asked for", { collect_fields: ["phone"] }],
    ["the total is in another currency", { amount: 10_000, currency: "USD" }],
  ])("leads to a page with the total first where %s", async (_, given) => {
    const link = await merchant.newLink(given);
    const address = await press(link, "pix-1");
    expect(address).toMatch(/\?way=pix-1$/);
    expect((await get(address)).body).toContain("Gerar Pix");
    expect(await paymentsOf(link)).toBe(0);
  });

  test("leads by card to its installments, which are one row besides Pix elsewhere", async () => {
    const link = await merchant.newLink({ fee_handling: "absorb", max_installments: 6 });
    const address = await press(link, "card");
    const { body } = await get(address);
    expect(body).toMatch(/<details class="cards"\s+open>/);
    expect(body).toMatch(/value="card-1"\s+checked/);
    const { body: all } = await get(address.replace("choose=card", "choose=1"));
    expect(all).toMatch(/<details class="cards"\s*>/);
    expect(all).toMatch(/value="pix-1"\s+checked/);
    expect(all).toContain("em até 6x sem juros");
    expect(await paymentsOf(link)).toBe(0);
  });

  test("says com juros where the most installments cost more", async () => {
    const link = await merchant.newLink({ fee_handling: "pass_through", max_installments: 12 });
    const { body } = await get(await press(link, "card"));
    expect(body).toMatch(/em até (\d+x sem juros ou )?12x com juros/);
    expect(body).not.toContain("em até 12x sem juros");
  });

  test("twice in one browser has one code", async () => {
    const link = await merchant.newLink();
    const first = await post(`/pay/${link}/sessions`, { way: "pix-1" });
    const cookie = String(first.headers["set-cookie"]).split(";")[0] ?? "";
    const again = await service.gateway.inject({
      method: "POST",
      url: `/pay/${link}/sessions`,
      headers: { ...FORM, cookie },
      payload: "way=pix-1",
    });
    expect(again.headers.location).toBe(first.headers.location);
    expect(await paymentsOf(link)).toBe(1);
  });

  test("starts no more payments than its address may", async () => {
    const limited = await secondService(service, { sessionsPerAddress: 1 });
    const send = async (link: string, payload: string, remoteAddress: string, cookie = "") =>
      await limited.gateway.inject({
        method: "POST",
        url: `/pay/${link}/sessions`,
        remoteAddress,
        headers: { ...FORM, cookie },
        payload,
      });
    const [one, other] = [await merchant.newLink(), await merchant.newLink()];
    const { headers } = await send(other, "", "203.0.113.9");
    const cookie = String(headers["set-cookie"]).split(";")[0];
    expect((await send(one, "way=pix-1", "203.0.113.8")).statusCode).toBe(303);
    expect((await send(other, "way=pix-1", "203.0.113.8", cookie)).statusCode).toBe(429);
    expect(await paymentsOf(other)).toBe(0);
    await limited.close();
  });
});
