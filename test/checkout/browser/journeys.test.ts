import jsqrModule from "jsqr";
import { PNG } from "pngjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { amountOfBrCode } from "../../../src/providers/br-code.ts";
import { hasBrowser, PayerPage, startPages, type Pages } from "../../support/browser.ts";
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
    const payer = await pages.newPage();
    await payer.goto(`/pay/${await merchant.newLink({ payment_methods: ["pix"], description: "Chair" })}`);
    expect(await payer.problems()).toEqual([]);
    await payer.press();
    expect(await payer.problems()).toEqual([]);
    expect(await payer.heading()).toBe("Pague com Pix");
    const { minor } = await payer.total();
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
    await fetch(`${payer.page.url()}/simulate`, {
      method: "POST",
      body: new URLSearchParams({ action: "approve" }),
    });
    held.resolve();
    await payer.page.waitForSelector(".state.good");
    expect(await payer.heading()).toBe("Pagamento confirmado");
  });

  test("has six hidden pages that wait without a connection, and each is up to date when it is shown again", async () => {
    const first = await pages.newPage();
    const context = first.page.context();
    // In a headless browser every tab is a visible one.
    await context.addInitScript(
      "Object.defineProperty(document, 'hidden', { get: () => globalThis.isHidden ?? false })",
    );
    const turn = async ({ page }: PayerPage, isHidden: boolean) =>
      await page.evaluate(
        `globalThis.isHidden = ${isHidden}; document.dispatchEvent(new Event("visibilitychange"))`,
      );
    const others = Array.from({ length: 5 }, async () => new PayerPage(await context.newPage()));
    for (const payer of [first, ...(await Promise.all(others))]) {
      const link = await merchant.newLink({ payment_methods: ["pix"] });
      await payer.untilWatching(async () => await payer.open(link));
      await turn(payer, true);
    }
    const seventh = await context.newPage();
    expect((await seventh.goto(first.page.url(), { timeout: 10_000 }))?.status()).toBe(200);
    await fetch(`${first.page.url()}/simulate`, {
      method: "POST",
      body: new URLSearchParams({ action: "approve" }),
    });
    await seventh.waitForSelector(".state.good");
    expect(await first.page.locator(".waiting").count()).toBe(1);
    await turn(first, false);
    await first.page.waitForSelector(".state.good");
  });

  test.runIf(isInFull())("notices by asking, where server-sent events do not come through", async () => {
    const payer = await pages.newPage();
    await payer.page.route("**/events", async (route) => await route.fulfill({ status: 503 }));
    await payer.open(await merchant.newLink({ payment_methods: ["pix"] }));
    await payer.page.waitForResponse((response) => response.url().endsWith("/status"));
    await fetch(`${payer.page.url()}/simulate`, {
      method: "POST",
      body: new URLSearchParams({ action: "approve" }),
    });
    await payer.page.waitForSelector(".state.good");
    expect(await payer.heading()).toBe("Pagamento confirmado");
  });

  test.runIf(isInFull())("sees where to transfer to, and when the money came in", async () => {
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

  test.runIf(isInFull())(
    "who does not know whether it was paid in time is asked not to pay again; money that came late is shown",
    async () => {
      const payer = await onLink({ payment_methods: ["pix"] });
      await payer.untilWatching(() => payer.page.reload());
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
      await payer.shows("deve devolver");
      expect(await payer.problems()).toEqual([]);
    },
  );

  test("copies the code", async () => {
    const payer = await onLink(
      { payment_methods: ["pix"] },
      { permissions: ["clipboard-read", "clipboard-write"] },
    );
    await payer.page.click("[data-copy]");
    await payer.page.waitForFunction(
      "document.querySelector('[data-copy]')?.textContent.trim() === 'Código copiado'",
    );
    const copied = await payer.page.evaluate("navigator.clipboard.readText()");
    expect(copied).toBe(await payer.page.inputValue("#pix_code"));
  });

  test.runIf(isInFull())("lets a PIX expire, has one rejected, and pays by a third", async () => {
    const payer = await onLink({ payment_methods: ["pix"] });
    await payer.simulate("expire");
    expect(await payer.heading()).toBe("O código expirou");
    expect(await payer.problems()).toEqual([]);
    await payer.press();
    await payer.simulate("decline");
    expect(await payer.text()).toContain("O banco recusou o Pix. Nada foi cobrado.");
    expect(await payer.problems()).toEqual([]);
    await payer.press();
    await payer.simulate("approve");
    expect(await payer.heading()).toBe("Pagamento confirmado");
  });

  test.each([1, 12])("pays by card in %i installments, every total shown before", async (installments) => {
    const payer = await pages.newPage();
    await payer.open(await merchant.newLink({ amount: 100_000, fee_handling: "absorb" }), "card");
    expect(await payer.problems()).toEqual([]);
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
    await payer.testCard(token);
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
    await payer.testCard("tok_challenge");
    await payer.press();
    expect(await payer.heading()).toBe("Confirme que é você");
    expect(await payer.text()).toMatch(/Toque no botão[^]*Confirmar na página do banco[^]*R\$ 159,90/);
    expect(await payer.problems()).toEqual([]);
    await payer.press();
    expect(new URL(payer.page.url()).hostname).toBe("127.0.0.1");
    expect(await payer.heading()).toBe("Autenticação do cartão");
    expect(await payer.problems()).toEqual([]);
    await payer.simulate(action);
    expect(await payer.heading()).toBe(heading);
  });
});
