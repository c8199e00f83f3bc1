import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient } from "@connectrpc/connect";
import { CheckoutService } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { Mode } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { PricingService } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { hasBrowser, PayerPage, startPages, type Pages } from "../../support/browser.ts";
import { createMerchant, type Merchant } from "../../support/merchant.ts";
import { isInFull } from "../../support/scale.ts";

let pages: Pages;
let merchant: Merchant;
const newest = async () => {
  const { body } = await merchant.api.get("/v1/payments?from=2020-01-01&to=2099-01-01&limit=1");
  return body.data[0];
};

describe.skipIf(!hasBrowser)("a payer in a browser", () => {
  beforeAll(async () => {
    pages = await startPages();
    merchant = await createMerchant(pages.service);
  });
  afterAll(async () => await pages.close());

  const onLink = async (link: object = {}, options: object = {}): Promise<PayerPage> => {
    const payer = await pages.newPage(options);
    await payer.open(await merchant.newLink(link));
    return payer;
  };

  test("acknowledges the fee: product, fee and total apart, the box not ticked before", async () => {
    const payer = await onLink({ fee_handling: "pass_through", payment_methods: ["pix"] });
    expect(await payer.problems()).toEqual([]);
    const part = async (name: string) =>
      BigInt((await payer.page.getAttribute(`[data-${name}]`, `data-${name}`)) ?? -1);
    const { minor } = await payer.total();
    expect((await part("product")) + (await part("fee"))).toBe(minor);
    expect(await payer.page.isChecked("#acknowledged_total")).toBe(false);
    await payer.press();
    expect(await payer.text()).toContain("Confirme que está ciente da tarifa e do total.");
    await expect.poll(() => payer.page.evaluate("document.activeElement.id")).toBe("problems");
    expect(await payer.problems()).toEqual([]);
    await payer.page.check("#acknowledged_total");
    await payer.press();
    await payer.simulate("approve");
    expect(await newest()).toMatchObject({ amount: Number(minor), fee_handling: "pass_through" });
  });

  test("comes back by the browser's Back to a form that was refused, and reloads it", async () => {
    const payer = await onLink({ fee_handling: "pass_through", payment_methods: ["pix"] });
    await payer.press();
    expect(await payer.text()).toContain("Confirme que está ciente da tarifa e do total.");
    expect((await payer.page.reload())?.status()).toBe(200);
    expect(await payer.text()).toContain("Confirme que está ciente da tarifa e do total.");
    await payer.page.check("#acknowledged_total");
    await payer.press();
    expect(await payer.heading()).toBe("Pague com Pix");
    expect((await payer.page.goBack())?.status()).toBe(200);
    expect(await payer.heading()).toBe("Pix");
    expect(await payer.problems()).toEqual([]);
  });

  test("meets no error page of the browser's by Back without a script, and keeps what was typed", async () => {
    const payer = await onLink(
      { payment_methods: ["pix"], collect_fields: ["phone"], fee_handling: "pass_through" },
      { javaScriptEnabled: false },
    );
    const { page } = payer;
    await page.fill("#phone", "123");
    await payer.press();
    expect(await payer.text()).toContain("Este telefone não existe.");
    await payer.follow(".language");
    expect(await payer.text()).toContain("There is no such phone number.");
    await page.goBack();
    expect(await payer.text()).toContain("There is no such phone number.");
    expect(await page.inputValue("#phone")).toBe("123");
    await page.fill("#phone", "(11) 91234-5678");
    await page.check("#acknowledged_total");
    await payer.press();
    expect(await payer.heading()).toBe("Pay by Pix");
    await page.goBack();
    expect(page.url()).toContain("way=pix-1");
    expect(await payer.text()).not.toContain("There is no such phone number.");
    await page.goForward();
    expect(await payer.heading()).toBe("Pay by Pix");
  });

  test("sees the time that is left after the device slept", async () => {
    const payer = await pages.newPage();
    // A sleeping device's monotonic clock stands still.
    await payer.page.addInitScript(`{
      const now = Date.now;
      let slept = 0;
      Date.now = () => now() + slept;
      window.sleep = (ms) => { slept += ms; };
    }`);
    await payer.open(await merchant.newLink({ payment_methods: ["pix"] }));
    const left = async (): Promise<number> => {
      const [minutes = 0, seconds = 0] = (await payer.page.innerText("[data-countdown]"))
        .split(":")
        .map(Number);
      return minutes * 60 + seconds;
    };
    expect(await left()).toBeGreaterThan(840);
    await payer.page.evaluate("sleep(600_000)");
    await expect.poll(left).toBeLessThanOrEqual(300);
    expect(await left()).toBeGreaterThan(200);
  });

  test("is refused when the total was altered, and nothing is charged", async () => {
    const payer = await onLink({
      fee_handling: "pass_through",
      payment_methods: ["card"],
      max_installments: 1,
    });
    const before = await newest();
    await payer.page.evaluate("document.getElementById('acknowledged_total').value = 1");
    await payer.page.check("#acknowledged_total");
    const answer = payer.page.waitForResponse((response) => response.request().method() === "POST");
    await payer.press();
    expect((await answer).status()).toBe(303);
    expect(await payer.text()).toContain("O total confirmado não é o total garantido.");
    expect(await payer.page.isChecked("#acknowledged_total")).toBe(false);
    expect(await payer.problems()).toEqual([]);
    expect(await newest()).toEqual(before);
  });

  test("gives telephone and address: an error is shown at its field, what was typed stays", async () => {
    const payer = await onLink({ payment_methods: ["pix"], collect_fields: ["phone", "address"] });
    expect(await payer.problems()).toEqual([]);
    const fill = async (values: Record<string, string>) => {
      for (const [name, value] of Object.entries(values)) await payer.page.fill(`#${name}`, value);
    };
    await fill({ phone: "123", street: "Av. Paulista" });
    await payer.press();
    expect(await payer.page.getAttribute("#phone", "aria-invalid")).toBe("true");
    expect(await payer.page.inputValue("#street")).toBe("Av. Paulista");
    expect(await payer.problems()).toEqual([]);
    await fill({ phone: "4111 1111 1111 1111" });
    await payer.press();
    expect(await payer.text()).toContain("Não digite números de cartão nesta página.");
    await fill({
      phone: "(11) 91234-5678",
      postal_code: "01310-100",
      number: "1000",
      district: "Bela Vista",
    });
    await fill({ city: "São Paulo" });
    await payer.page.selectOption("#state", "SP");
    for (const [name, typed, shown] of [
      ["phone", "11912345678", "(11) 91234-5678"],
      ["postal_code", "01310100", "01310-100"],
      ["phone", "+1 415 555 2671", "+1 415 555 2671"],
      ["phone", "11 91234.5678", "(11) 91234-5678"],
    ] as const) {
      await payer.page.fill(`#${name}`, typed);
      await payer.page.locator(`#${name}`).blur();
      expect(await payer.page.inputValue(`#${name}`)).toBe(shown);
    }
    await payer.press();
    await payer.simulate("approve");
    const { id } = await newest();
    const checkout = createClient(CheckoutService, pages.service.core.transport);
    expect((await checkout.getPayerDetails({ paymentId: id }, merchant.as)).payer).toMatchObject({
      phone: "+5511912345678",
      address: { postalCode: "01310100", street: "Av. Paulista", city: "São Paulo", state: "SP" },
    });
  });

  test("finds links that are unknown, expired, completed, canceled, and a session that is over", async () => {
    const payer = await pages.newPage();
    expect(await payer.goto("/pay/pl_01jd0000000000000000000000")).toBe(404);
    expect(await payer.heading()).toBe("Link não encontrado");
    expect(await payer.problems()).toEqual([]);
    const link = await merchant.newLink({ payment_methods: ["pix"], fee_handling: "pass_through" });
    const canceled = await merchant.newLink({});
    await merchant.links.cancelPaymentLink({ id: canceled }, merchant.as);
    expect(await payer.goto(`/pay/${canceled}`)).toBe(410);
    expect(await payer.heading()).toBe("Este link foi desativado");
    expect(await payer.problems()).toEqual([]);
    await payer.open(link);
    pages.service.clock.advance(901);
    await payer.page.check("#acknowledged_total");
    await payer.press();
    expect(await payer.heading()).toBe("O preço garantido terminou");
    expect(await payer.problems()).toEqual([]);
    await payer.press();
    await payer.press();
    await payer.page.check("#acknowledged_total");
    await payer.press();
    await payer.simulate("approve");
    const other = await pages.newPage();
    expect(await other.goto(`/pay/${link}`)).toBe(410);
    expect(await other.heading()).toBe("Este link já foi pago");
    expect(await other.problems()).toEqual([]);
    const short = await merchant.newLink({ expires_in: 1 });
    pages.service.clock.advance(2);
    expect(await payer.goto(`/pay/${short}`)).toBe(410);
    expect(await payer.heading()).toBe("Este link expirou");
    expect(await payer.problems()).toEqual([]);
  });

  test.runIf(isInFull())("pays a campaign twice, at two rates", async () => {
    const pricing = createClient(PricingService, pages.service.core.transport);
    const publish = async (spotMicros: bigint) =>
      await pricing.publishFxRate(
        { mode: Mode.TEST, spotMicros, maxAgeSeconds: 4_000_000_000n },
        pages.service.internal,
      );
    const link = await merchant.newLink({
      amount: 10_000,
      currency: "USD",
      campaign: true,
      payment_methods: ["pix"],
    });
    const paid: number[] = [];
    for (const spot of [5_432_100n, 5_600_000n]) {
      await publish(spot);
      const payer = await pages.newPage();
      await payer.open(link);
      expect(await payer.text()).toContain("Câmbio garantido: US$ 1 = R$");
      const { minor } = await payer.total();
      await payer.press();
      await payer.simulate("approve");
      const payment = await newest();
      expect(payment).toMatchObject({ status: "succeeded", amount: Number(minor), link_id: link });
      paid.push(payment.fx.rate);
    }
    await publish(5_432_100n);
    expect(paid).toEqual([5.513582, 5.684]);
  });

  test.runIf(isInFull())("reads English by the browser or by the switch, and it stays", async () => {
    const link = await merchant.newLink({ payment_methods: ["pix"] });
    const english = await pages.newPage({ locale: "en-GB" });
    await english.goto(`/pay/${link}`);
    expect(await english.heading()).toBe("How would you like to pay?");
    expect(await english.page.getAttribute("html", "lang")).toBe("en");
    const payer = await pages.newPage();
    await payer.goto(`/pay/${link}`);
    await payer.follow("a.language");
    expect(await payer.heading()).toBe("How would you like to pay?");
    await payer.press();
    expect(await payer.heading()).toBe("Pay by Pix");
    expect((await payer.total()).text).toBe("R$159.90");
    expect(await payer.problems()).toEqual([]);
    await payer.follow("a.language");
    expect((await payer.total()).text).toBe("R$ 159,90");
  });

  test("needs no script up to the Pix code, and to see that it was paid", async () => {
    const payer = await pages.newPage({ javaScriptEnabled: false });
    await payer.open(await merchant.newLink({ fee_handling: "pass_through" }));
    await payer.page.check("#acknowledged_total");
    await payer.press();
    expect(await payer.page.inputValue("#pix_code")).toMatch(/^000201/);
    await fetch(`${payer.page.url()}/simulate`, {
      method: "POST",
      body: new URLSearchParams({ action: "approve" }),
    });
    await payer.follow(".waiting button");
    expect(await payer.heading()).toBe("Pagamento confirmado");
  });

  test("needs no script to pay by card in installments in test mode, up to the receipt", async () => {
    const payer = await pages.newPage({ javaScriptEnabled: false });
    await payer.open(await merchant.newLink({ fee_handling: "absorb", max_installments: 3 }), "card");
    await payer.page.check('input[value="card-3"]');
    await payer.press();
    await payer.page.selectOption("#card_answer", "tok_challenge");
    await payer.press();
    expect(await payer.heading()).toBe("Confirme que é você");
    await payer.press();
    await payer.simulate("approve");
    expect(await payer.text()).toMatch(/Comprovante de pagamento[^]*3x de R\$ 53,30/);
    expect(await newest()).toMatchObject({ status: "succeeded", installments: 3 });
  });

  test.runIf(isInFull())("reads it on a desktop, and at 400 % zoom", async () => {
    const link = { amount: 999_999_999, fee_handling: "pass_through", collect_fields: ["phone", "address"] };
    for (const viewport of [
      { width: 1280, height: 900 },
      { width: 320, height: 256 },
    ]) {
      const payer = await pages.newPage({ viewport, deviceScaleFactor: 1280 / viewport.width });
      await payer.open(await merchant.newLink(link), "card");
      expect(await payer.problems()).toEqual([]);
      await payer.choose("card-12");
      expect(await payer.problems()).toEqual([]);
    }
  });
});
