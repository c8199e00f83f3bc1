import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { BrowserContext } from "playwright-core";
import { hasBrowser, PayerPage, sharedBrowser } from "../support/browser.ts";
import { forFile } from "../support/for-file.ts";
import { startReceiver } from "../support/receiver.ts";
import { calledAsaas, KEY, NOW, type Body } from "./asaas-called.ts";

const CARD = "5162306219378829";
const DECLINED = "5184019740373151";

describe.skipIf(!hasBrowser)("the invoice page", async () => {
  const { asaas, call, charge } = await forFile(calledAsaas({ domain: "127.0.0.1" }));
  // The merchant's page, to which the payer comes back.
  const shop = await forFile(startReceiver());
  let context: BrowserContext;
  let payer: PayerPage;
  beforeAll(async () => {
    context = await (await sharedBrowser()).newContext({ viewport: { width: 320, height: 640 } });
    payer = new PayerPage(await context.newPage());
  });
  afterAll(async () => await context.close());
  beforeEach(() => {
    asaas.clock.set(NOW);
    shop.received.length = 0;
    shop.answer(
      (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Loja</h1>"),
    );
  });

  const plan = async (callback: object = {}): Promise<Body> =>
    (await charge({ installmentCount: 3, totalValue: 100, callback: { successUrl: shop.url, ...callback } }))
      .body;
  const statuses = (id: string): string[] => asaas.plan(id).payments.map(({ status }) => status);
  const press = async (outcome: string): Promise<void> => await payer.follow(`button[value="${outcome}"]`);

  test("shows the price of the whole plan, is accessible, and is paid with a typed card, then leads back", async () => {
    const { invoiceUrl, installment } = await plan();
    await payer.goto(invoiceUrl);
    expect(await payer.page.getAttribute("[data-total]", "data-total")).toBe("10000");
    expect(await payer.text()).toContain("R$ 100,00 em 3 parcelas");
    expect(await payer.problems()).toEqual([]);
    await payer.page.fill("#number", CARD);
    await press("paid");
    expect(payer.page.url()).toBe(shop.url);
    expect(statuses(installment)).toEqual(["CONFIRMED", "CONFIRMED", "CONFIRMED"]);
    expect((await call("GET", `/installments/${installment}`)).body.creditCard).toMatchObject({
      creditCardNumber: CARD.slice(-4),
      creditCardBrand: "MASTERCARD",
    });
  });

  test("declines a card and takes another one", async () => {
    const { invoiceUrl, installment } = await plan();
    await payer.goto(invoiceUrl);
    await payer.page.fill("#number", DECLINED);
    await press("paid");
    expect(await payer.page.innerText("[role=alert]")).toContain("não autorizada");
    expect(statuses(installment)).toEqual(["PENDING", "PENDING", "PENDING"]);
    expect(await payer.problems()).toEqual([]);
    await press("declined");
    await press("paid");
    expect(payer.page.url()).toBe(shop.url);
  });

  test("tells of the analysis, with a way back, and of its end", async () => {
    const { invoiceUrl, installment } = await plan();
    await payer.goto(invoiceUrl);
    await press("review");
    expect(await payer.heading()).toBe("Pagamento em análise");
    expect(await payer.problems()).toEqual([]);
    asaas.endReview(installment, "approved");
    await payer.goto(invoiceUrl);
    expect(await payer.heading()).toBe("Pagamento confirmado");
    await payer.follow("main a");
    expect(payer.page.url()).toBe(shop.url);
  });

  test("waits for a click where the merchant asks for no redirection", async () => {
    const { invoiceUrl } = await plan({ autoRedirect: false });
    await payer.goto(invoiceUrl);
    await press("paid");
    expect(await payer.heading()).toBe("Pagamento confirmado");
    await payer.follow("main a");
    expect(payer.page.url()).toBe(shop.url);
  });

  test("can be paid by nobody once it is removed, and keeps an abandoned one open", async () => {
    const { invoiceUrl, installment } = await plan();
    await payer.goto(invoiceUrl);
    await payer.goto("about:blank");
    expect(statuses(installment)).toEqual(["PENDING", "PENDING", "PENDING"]);
    await payer.goto(invoiceUrl);
    await call("DELETE", `/installments/${installment}`);
    await press("paid");
    expect(await payer.heading()).toBe("Cobrança removida");
    expect(statuses(installment)).toEqual(["PENDING", "PENDING", "PENDING"]);
  });

  test("refuses a brand with too many installments", async () => {
    const { invoiceUrl } = (await charge({ installmentCount: 13, totalValue: 130 })).body;
    await payer.goto(invoiceUrl);
    await payer.page.fill("#number", "6362970000457013");
    await press("paid");
    expect(await payer.page.innerText("[role=alert]")).toContain("tantas parcelas");
  });

  test("of a checkout lets the payer pick the installments, or give up, until its time is over", async () => {
    const asked = {
      billingTypes: ["CREDIT_CARD"],
      chargeTypes: ["INSTALLMENT"],
      installment: { maxInstallmentCount: 21 },
      minutesToExpire: 15,
      callback: {
        successUrl: shop.url,
        cancelUrl: `${shop.url}?canceled`,
        expiredUrl: `${shop.url}?expired`,
      },
      items: [{ name: "Curso", quantity: 1, value: 210.01, imageBase64: "aQ==" }],
      externalReference: "checkout-1",
    };
    const { link, id } = (await call("POST", "/checkouts", asked)).body;
    await payer.goto(link);
    expect(await payer.problems()).toEqual([]);
    await payer.follow("main a");
    expect(payer.page.url()).toBe(`${shop.url}?canceled`);
    await payer.goto(link);
    await payer.page.selectOption("#count", "21");
    await press("paid");
    expect(payer.page.url()).toBe(shop.url);
    const { data } = (await call("GET", "/payments?externalReference=checkout-1&limit=100")).body;
    expect(data).toHaveLength(21);
    expect(data[0]).toMatchObject({ value: 10.01, checkoutSession: id, status: "CONFIRMED" });
    const late = (await call("POST", "/checkouts", asked)).body;
    asaas.clock.advance(15 * 60);
    await payer.goto(late.link);
    expect(payer.page.url()).toBe(`${shop.url}?expired`);
    expect(asaas.account(KEY).checkouts.get(late.id)?.status).toBe("EXPIRED");
  });
});
