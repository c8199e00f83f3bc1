import jsqrModule from "jsqr";
import { PNG } from "pngjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient } from "@connectrpc/connect";
import { CheckoutService } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { Mode } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { PricingService } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { amountOfBrCode } from "../../../src/providers/br-code.ts";
import { hasBrowser, startPages, type Pages, type PayerPage } from "../../support/browser.ts";
import { createMerchant, type Merchant } from "../../support/merchant.ts";
import { isInFull } from "../../support/scale.ts";

// Its types are those of another module format.
const readQr = jsqrModule as unknown as typeof jsqrModule.default;

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

  test("pays by PIX: the drawn code is the copied one, its amount the price, and the page notices by itself", async () => {
    const payer = await onLink({ payment_methods: ["pix"], description: "Chair" });
    expect(await payer.problems()).toEqual([]);
    const { minor } = await payer.total();
    await payer.press();
    expect(await payer.problems()).toEqual([]);
    expect(await payer.heading()).toBe("Pague com PIX");
    const code = await payer.page.inputValue("#pix_code");
    const { data, width, height } = PNG.sync.read(
      await payer.page.locator(".qr").screenshot({ scale: "device" }),
    );
    expect(readQr(new Uint8ClampedArray(data), width, height)?.data).toBe(code);
    expect(amountOfBrCode(code)).toBe(minor);
    expect((await payer.total()).minor).toBe(minor);
    await payer.untilWatching(() => payer.page.reload());
    // Paid elsewhere: nothing is pressed here.
    const url = `${payer.page.url()}/simulate`;
    await fetch(url, { method: "POST", body: new URLSearchParams({ action: "approve" }) });
    await payer.page.waitForSelector(".state.good");
    expect(await payer.heading()).toBe("Pagamento confirmado");
    expect(await payer.problems()).toEqual([]);
    expect(await newest()).toMatchObject({
      status: "succeeded",
      amount: Number(minor),
      payment_method: "pix",
    });
    expect((await payer.total()).minor).toBe(minor);
  });

  test("notices what happened before the page began to watch", async () => {
    const payer = await pages.newPage();
    const held = Promise.withResolvers<void>();
    await payer.page.route("**/events", async (route) => {
      await held.promise;
      await route.continue();
    });
    await payer.open(await merchant.newLink({ payment_methods: ["pix"] }));
    await payer.press();
    await fetch(`${payer.page.url()}/simulate`, {
      method: "POST",
      body: new URLSearchParams({ action: "approve" }),
    });
    held.resolve();
    await payer.page.waitForSelector(".state.good");
    expect(await payer.heading()).toBe("Pagamento confirmado");
  });

  test.runIf(isInFull)("notices by asking, where server-sent events do not come through", async () => {
    const payer = await pages.newPage();
    await payer.page.route("**/events", async (route) => await route.fulfill({ status: 503 }));
    await payer.open(await merchant.newLink({ payment_methods: ["pix"] }));
    await payer.press();
    await payer.page.waitForResponse((response) => response.url().endsWith("/status"));
    await fetch(`${payer.page.url()}/simulate`, {
      method: "POST",
      body: new URLSearchParams({ action: "approve" }),
    });
    await payer.page.waitForSelector(".state.good");
    expect(await payer.heading()).toBe("Pagamento confirmado");
  });

  test.runIf(isInFull)("sees where to transfer to, and when the money came in", async () => {
    const offering = await createMerchant(pages.service, { paymentMethods: ["pix", "card", "ted"] });
    const quote = await offering.api.post("/v1/quotes", {
      amount: 50_000,
      currency: "BRL",
      payment_method: "ted",
    });
    const accepted = await offering.api.post(`/v1/quotes/${quote.body.id}/accept`, { name: "Machine" });
    const payer = await pages.newPage();
    await payer.open(accepted.body.id);
    await payer.press();
    expect(await payer.heading()).toBe("Transfira para esta conta");
    expect(await payer.text()).toMatch(/Referência\s+TED[0-9A-Z]{12}/);
    expect(await payer.problems()).toEqual([]);
    await payer.simulate("approve");
    expect(await payer.heading()).toBe("Pagamento confirmado");
  });

  test.runIf(isInFull)(
    "who does not know whether it was paid in time is asked not to pay again; money that came late is shown",
    async () => {
      const payer = await onLink({ payment_methods: ["pix"] });
      await payer.untilWatching(() => payer.press());
      await payer.untilWatching(async () => {
        pages.service.clock.advance(901);
        await payer.shows("O tempo deste código terminou");
      });
      expect(await payer.heading()).toBe("O tempo deste código terminou");
      expect(await payer.problems()).toEqual([]);
      // What is paid within a minute of the end counts.
      pages.service.clock.advance(60);
      await fetch(`${payer.page.url()}/simulate`, {
        method: "POST",
        body: new URLSearchParams({ action: "approve" }),
      });
      await payer.shows("A devolução foi proposta.");
      expect(await payer.problems()).toEqual([]);
    },
  );

  test("copies the code", async () => {
    const payer = await onLink(
      { payment_methods: ["pix"] },
      { permissions: ["clipboard-read", "clipboard-write"] },
    );
    await payer.press();
    await payer.page.click("[data-copy]");
    await payer.page.waitForFunction(
      "document.querySelector('[data-copy]')?.textContent.trim() === 'Código copiado'",
    );
    const copied = await payer.page.evaluate("navigator.clipboard.readText()");
    expect(copied).toBe(await payer.page.inputValue("#pix_code"));
  });

  test.runIf(isInFull)("lets a PIX expire, has one rejected, and pays by a third", async () => {
    const payer = await onLink({ payment_methods: ["pix"] });
    await payer.press();
    await payer.simulate("expire");
    expect(await payer.heading()).toBe("O código expirou");
    expect(await payer.problems()).toEqual([]);
    await payer.press();
    await payer.press();
    await payer.simulate("decline");
    expect(await payer.text()).toContain("O banco recusou o PIX. Nada foi cobrado.");
    expect(await payer.problems()).toEqual([]);
    await payer.press();
    await payer.press();
    await payer.simulate("approve");
    expect(await payer.heading()).toBe("Pagamento confirmado");
  });

  test.each([1, 12])("pays by card in %i installments, every total shown before", async (installments) => {
    const payer = await onLink({ amount: 100_000, fee_handling: "absorb" });
    expect(await payer.page.locator(".price").count()).toBe(13);
    const key = `card-${installments}`;
    const shown = await payer.page.getAttribute(`.price[data-way="${key}"]`, "data-total");
    await payer.choose(key);
    expect(await payer.problems()).toEqual([]);
    await payer.press();
    expect(await payer.heading()).toBe("Pagamento confirmado");
    expect((await payer.total()).minor).toBe(BigInt(shown ?? -1));
    expect(await newest()).toMatchObject({ status: "succeeded", installments, amount: Number(shown) });
  });

  test.each([
    ["tok_insufficient_funds", "Saldo ou limite insuficiente."],
    ["tok_card_declined", "O emissor recusou o cartão."],
    ["tok_expired_card", "O cartão está vencido."],
    ["tok_invalid_card", "Os dados do cartão são inválidos."],
    ["tok_card_not_supported", "Este cartão não é aceito."],
    ["tok_authentication_failed", "A autenticação do cartão não foi concluída."],
    ["tok_payment_declined", "O pagamento foi recusado."],
  ])("sees why %s failed, and that nothing was charged", async (token, text) => {
    const payer = await onLink({ payment_methods: ["card"], max_installments: 1 });
    await payer.page.selectOption("#card_token", token);
    await payer.press();
    expect(await payer.text()).toContain(`${text} Nada foi cobrado.`);
  });

  test.each([
    ["approve", "Pagamento confirmado"],
    ["decline", "O pagamento não foi concluído"],
  ] as const)("is sent to the issuer, and comes back: %s", async (action, heading) => {
    const payer = await onLink({ payment_methods: ["card"], max_installments: 1 });
    // The issuer's page is of another origin than ours: the form may not lead there, a link may.
    await payer.goto(payer.page.url().replace("127.0.0.1", "localhost"));
    await payer.page.selectOption("#card_token", "tok_challenge");
    await payer.press();
    expect(await payer.heading()).toBe("Confirmando o pagamento");
    expect(await payer.problems()).toEqual([]);
    await payer.press();
    expect(new URL(payer.page.url()).hostname).toBe("127.0.0.1");
    expect(await payer.heading()).toBe("Autenticação do cartão");
    expect(await payer.problems()).toEqual([]);
    await payer.simulate(action);
    expect(await payer.heading()).toBe(heading);
  });

  test("acknowledges the fee: product, fee and total apart, the box not ticked before", async () => {
    const payer = await onLink({ fee_handling: "pass_through", payment_methods: ["pix"] });
    expect(await payer.problems()).toEqual([]);
    const part = async (name: string) =>
      BigInt((await payer.page.getAttribute(`[data-${name}]`, `data-${name}`)) ?? -1);
    const { minor } = await payer.total();
    expect((await part("product")) + (await part("fee"))).toBe(minor);
    expect(await payer.page.isChecked("#acknowledged_total")).toBe(false);
    await payer.press();
    expect(await payer.text()).toContain("Confirme que está ciente da taxa e do total.");
    expect(await payer.page.evaluate("document.activeElement.id")).toBe("problems");
    expect(await payer.problems()).toEqual([]);
    await payer.page.check("#acknowledged_total");
    await payer.press();
    await payer.simulate("approve");
    expect(await newest()).toMatchObject({ amount: Number(minor), fee_handling: "pass_through" });
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
    expect((await answer).status()).toBe(409);
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
    const link = await merchant.newLink({ payment_methods: ["pix"] });
    const canceled = await merchant.newLink({});
    await merchant.links.cancelPaymentLink({ id: canceled }, merchant.as);
    expect(await payer.goto(`/pay/${canceled}`)).toBe(410);
    expect(await payer.heading()).toBe("Este link foi cancelado");
    expect(await payer.problems()).toEqual([]);
    await payer.open(link);
    pages.service.clock.advance(901);
    await payer.press();
    expect(await payer.heading()).toBe("O preço garantido terminou");
    expect(await payer.problems()).toEqual([]);
    await payer.press();
    await payer.press();
    await payer.simulate("approve");
    expect(await payer.goto(`/pay/${link}`)).toBe(410);
    expect(await payer.heading()).toBe("Este link já foi pago");
    expect(await payer.problems()).toEqual([]);
    const short = await merchant.newLink({ expires_in: 1 });
    pages.service.clock.advance(2);
    expect(await payer.goto(`/pay/${short}`)).toBe(410);
    expect(await payer.heading()).toBe("Este link expirou");
    expect(await payer.problems()).toEqual([]);
  });

  test.runIf(isInFull)("pays a campaign twice, at two rates", async () => {
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
      expect(await payer.text()).toContain("Câmbio garantido: 1 USD = ");
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

  test.runIf(isInFull)("reads English by the browser or by the switch, and it stays", async () => {
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
    await payer.press();
    expect(await payer.heading()).toBe("Pay by PIX");
    expect((await payer.total()).text).toBe("R$159.90");
    expect(await payer.problems()).toEqual([]);
    await payer.follow("a.language");
    expect((await payer.total()).text).toBe("R$ 159,90");
  });

  test("needs no script up to the PIX code, and to see that it was paid", async () => {
    const payer = await pages.newPage({ javaScriptEnabled: false });
    await payer.open(await merchant.newLink({ fee_handling: "pass_through" }));
    await payer.choose("pix-1");
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

  test.runIf(isInFull)("reads it on a desktop, and at 400 % zoom", async () => {
    const link = { amount: 999_999_999, fee_handling: "pass_through", collect_fields: ["phone", "address"] };
    for (const viewport of [
      { width: 1280, height: 900 },
      { width: 320, height: 256 },
    ]) {
      const payer = await onLink(link, { viewport, deviceScaleFactor: 1280 / viewport.width });
      expect(await payer.problems()).toEqual([]);
      await payer.choose("card-12");
      expect(await payer.problems()).toEqual([]);
    }
  });
});
