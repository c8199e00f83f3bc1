import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Mode } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { PricingService } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { hasBrowser, startPages, type Pages, type PayerPage } from "../../support/browser.ts";
import { createMerchant, type Merchant } from "../../support/merchant.ts";

const SESSION_SECONDS = 900;

let pages: Pages;
let merchant: Merchant;

describe.skipIf(!hasBrowser)("a payer whose payment has ended", () => {
  beforeAll(async () => {
    pages = await startPages();
    merchant = await createMerchant(pages.service);
  });
  afterAll(async () => await pages.close());

  const onLink = async (link: object, way?: "card", options: object = {}): Promise<PayerPage> => {
    const payer = await pages.newPage(options);
    await payer.open(await merchant.newLink(link), way);
    return payer;
  };
  const button = async ({ page }: PayerPage): Promise<string> =>
    (await page.innerText("main .primary")).replaceAll(/\s+/g, " ").trim();
  const publish = async (spotMicros: bigint): Promise<void> => {
    const rate = { mode: Mode.TEST, spotMicros, maxAgeSeconds: 4_000_000_000n };
    const { core, internal } = pages.service;
    await createClient(PricingService, core.transport).publishFxRate(rate, internal);
  };

  test.each([
    ["in its session", {}, 0, true],
    ["in its session, without a script", {}, 0, false],
    ["after its session", {}, SESSION_SECONDS + 1, true],
    ["after its session, without a script", {}, SESSION_SECONDS + 1, false],
    ["after its session, at a total of another currency", { amount: 10_000, currency: "USD" }, 901, true],
  ])("has a new code in one touch: %s", async (_, link, seconds, javaScriptEnabled) => {
    const payer = await onLink({ payment_methods: ["pix"], ...link }, undefined, { javaScriptEnabled });
    if (await payer.page.isVisible('form button:has-text("Gerar Pix")')) await payer.press();
    const code = await payer.page.inputValue("#pix_code");
    const { minor, text } = await payer.total();
    await payer.simulate("expire");
    pages.service.clock.advance(seconds);
    await payer.page.reload();
    expect(await payer.heading()).toBe("O código expirou");
    expect(await button(payer)).toBe(`Gerar novo código · ${text}`);
    if (javaScriptEnabled) expect(await payer.problems()).toEqual([]);
    await payer.press();
    expect(await payer.heading()).toBe("Pague com Pix");
    expect((await payer.total()).minor).toBe(minor);
    expect(await payer.page.inputValue("#pix_code")).not.toBe(code);
    await payer.simulate("approve");
    expect(await payer.heading()).toBe("Pagamento confirmado");
  });

  test.each([0, SESSION_SECONDS + 1])(
    "has a new code at the total that was acknowledged, after %i seconds",
    async (seconds) => {
      const payer = await onLink({ payment_methods: ["pix"], fee_handling: "pass_through" });
      await payer.page.check("#acknowledged_total");
      await payer.press();
      const { minor } = await payer.total();
      await payer.simulate("expire");
      pages.service.clock.advance(seconds);
      await payer.page.reload();
      await payer.press();
      expect(await payer.heading()).toBe("Pague com Pix");
      expect((await payer.total()).minor).toBe(minor);
    },
  );

  test("keeps the code while the network is away, and sees the receipt when it is back", async () => {
    const payer = await onLink({ payment_methods: ["pix"] });
    const { page } = payer;
    if (await page.isVisible('form button:has-text("Gerar Pix")')) await payer.press();
    const code = await page.inputValue("#pix_code");
    await page.context().setOffline(true);
    const { statusCode } = await pages.service.gateway.inject({
      method: "POST",
      url: `${new URL(page.url()).pathname}/simulate`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      payload: "action=approve",
    });
    expect(statusCode).toBe(303);
    await page.waitForTimeout(1500);
    expect(await page.inputValue("#pix_code")).toBe(code);
    await page.context().setOffline(false);
    await expect.poll(async () => await payer.heading(), { timeout: 10_000 }).toBe("Pagamento confirmado");
  });

  test("finds in the next session what was typed in the last, and nothing of it after the receipt", async () => {
    const payer = await onLink({ payment_methods: ["pix"], collect_fields: ["phone"], campaign: true });
    const { page } = payer;
    await page.fill("#phone", "(11) 91234-5678");
    await payer.press();
    await payer.simulate("expire");
    pages.service.clock.advance(SESSION_SECONDS + 1);
    await page.reload();
    await payer.press();
    expect(await page.inputValue("#phone")).toBe("(11) 91234-5678");
    await payer.press();
    await payer.simulate("approve");
    expect(await payer.heading()).toBe("Pagamento confirmado");
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
    expect(await payer.problems()).toEqual([]);
  });

  test("is shown the new totals before a new code, where the rate is another by then", async () => {
    const payer = await onLink({ payment_methods: ["pix"], amount: 10_000, currency: "USD" });
    await payer.press();
    await payer.simulate("expire");
    pages.service.clock.advance(SESSION_SECONDS + 1);
    await payer.page.reload();
    await publish(5_600_000n);
    await payer.press();
    expect(await payer.text()).toContain("Os totais mudaram desde que esta página foi aberta.");
    expect(await button(payer)).toBe("Pix · R$ 568,40");
    await publish(5_432_100n);
  });

  test.each([
    [0, true],
    [0, false],
    [SESSION_SECONDS + 1, true],
  ])(
    "uses another card with the installments that were chosen: after %i s, script %s",
    async (seconds, javaScriptEnabled) => {
      const payer = await onLink({ payment_methods: ["card"] }, undefined, { javaScriptEnabled });
      await payer.choose("card-3");
      if (javaScriptEnabled) await payer.testCard("tok_insufficient_funds");
      else await payer.page.selectOption("#card_answer", "tok_insufficient_funds");
      await payer.press();
      expect(await payer.text()).toContain("Saldo ou limite insuficiente. Nada foi cobrado.");
      if (javaScriptEnabled) expect(await payer.problems()).toEqual([]);
      pages.service.clock.advance(seconds);
      await payer.page.reload();
      expect(await button(payer)).toBe("Usar outro cartão");
      await payer.press();
      expect(await payer.heading()).toBe("Cartão de crédito");
      expect(await payer.text()).toContain("3x de R$ 53,30");
      await payer.press();
      expect(await payer.heading()).toBe("Pagamento confirmado");
    },
  );

  test("pays by Pix in one touch after a declined card, with what was typed for it", async () => {
    const payer = await onLink({ collect_fields: ["phone"] }, "card");
    await payer.choose("card-2");
    await payer.page.fill("#phone", "(11) 91234-5678");
    await payer.testCard("tok_card_declined");
    await payer.press();
    expect(await payer.text()).toContain("O emissor recusou o cartão. Nada foi cobrado.");
    await payer.follow('button:has-text("Pagar com Pix · R$")');
    expect(await payer.heading()).toBe("Pague com Pix");
    expect((await payer.total()).text).toBe("R$ 159,90");
  });

  test("acknowledges the total of Pix before it, where that is another than the card's", async () => {
    const payer = await onLink({ fee_handling: "pass_through" }, "card");
    await payer.choose("card-2");
    await payer.page.check("#acknowledged_total");
    await payer.testCard("tok_card_declined");
    await payer.press();
    await payer.follow('a:has-text("Pagar com Pix · R$")');
    expect(await payer.heading()).toBe("Pix");
    expect(await payer.page.isChecked("#acknowledged_total")).toBe(false);
  });
});
