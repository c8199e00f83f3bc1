import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient } from "@connectrpc/connect";
import { ProviderKind, ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { OPEN_GUARD, testBank, type TestBank } from "../api-pix/connected.ts";
import { configAt } from "../provider-accounts/live-merchant.ts";
import { hasBrowser, startPages, type Pages, type PayerPage } from "../support/browser.ts";
import { createMerchant } from "../support/merchant.ts";
import { startPagarme, type Pagarme } from "../support/pagarme/pagarme.ts";
import { connectPagarme, FULL_PERSON, KEYS, PAID_CARD, type PagarmeMerchant } from "./pagarme-merchant.ts";
import { fillCard, fillPerson } from "./browser/card-form.ts";

describe.skipIf(!hasBrowser)("the page of a card at Pagar.me, in a browser", () => {
  let pagarme: Pagarme;
  let bank: TestBank;
  let pages: Pages;
  let merchant: PagarmeMerchant;
  beforeAll(async () => {
    pagarme = await startPagarme({
      accounts: [{ ...KEYS, isAntifraudOn: true, domains: ["127.0.0.1"] }],
    });
    bank = await testBank();
    pages = await startPages({ allowLoopbackProviders: true, lookup: OPEN_GUARD.lookup });
    pagarme.clock.set(new Date(pages.service.clock.nowMs()));
    const { service } = pages;
    merchant = await connectPagarme({ service, pagarme });
  });
  afterAll(async () => {
    await pages.close();
    await pagarme.stop();
    await bank.bank.stop();
  });

  const opened = async (): Promise<PayerPage> => {
    const payer = await pages.newPage();
    const link = { amount: 100_000, payment_methods: ["card"], max_installments: 1 };
    await payer.open(await merchant.newLink(link));
    return payer;
  };
  test("sends a card to the one address of its provider, and no form has its inputs", async () => {
    const payer = await opened();
    const sent: { readonly url: string; readonly text: string }[] = [];
    payer.page.on("request", (request) =>
      sent.push({ url: request.url(), text: JSON.stringify([request.headers(), request.postData()]) }),
    );
    await fillPerson(payer);
    await fillCard(payer);
    const named = await payer.page
      .locator("[data-token-url] input[name]")
      .evaluateAll((inputs) => inputs.map((input) => input.getAttribute("name")));
    expect(named).toEqual(["card_token"]);
    await payer.press();
    const withCard = sent.filter(({ url, text }) => `${url}${text}`.includes(PAID_CARD));
    expect(new Set(withCard.map(({ url }) => url))).toEqual(
      new Set([`${pagarme.baseUrl}/tokens?appId=${KEYS.publicKey}`]),
    );
    const form = sent.find(({ url }) => url.endsWith("/payments"));
    expect(form?.text).toMatch(/card_token=token_/);
    expect(form?.text).not.toMatch(/cvv|holder|12%2F39/);
  });

  test("may reach that address alone, and no other page may reach it", async () => {
    const policyOf = async (path: string): Promise<string> =>
      (await fetch(new URL(path, pages.baseUrl))).headers.get("content-security-policy") ?? "";
    const connections = (policy: string): string => /connect-src ([^;]*)/.exec(policy)?.[1] ?? "";
    const payer = await pages.newPage();
    await payer.open(await merchant.newLink({ payment_methods: ["card"], max_installments: 3 }));
    await payer.choose("card-3");
    const url = payer.page.url();
    expect(connections(await policyOf(url))).toBe(`'self' ${pagarme.baseUrl}/tokens`);
    expect(await policyOf(url)).not.toMatch(/unsafe|script-src[^;]*http/);
    const session = url.split("?")[0] ?? "";
    for (const other of [session, `${session}?choose=1`, session.split("/cs_")[0] ?? ""]) {
      expect(connections(await policyOf(other))).toBe("'self'");
    }
    const inTest = await createMerchant(pages.service);
    const sandbox = await pages.newPage();
    await sandbox.open(await inTest.newLink({ payment_methods: ["card"], max_installments: 1 }));
    expect(connections(await policyOf(sandbox.page.url()))).toBe("'self'");
    const refused = payer.page.evaluate(async (address) => {
      await fetch(address, { mode: "no-cors" });
    }, `${pagarme.origin}/core/v5/orders`);
    await expect(refused).rejects.toThrow("Failed to fetch");
  });

  test("says what is wrong with a card before it is sent anywhere", async () => {
    const payer = await opened();
    const before = pagarme.requests.length;
    await fillPerson(payer);
    await fillCard(payer, { number: "4000000000000011", expiry: "13/39" });
    await payer.page.click("main button.primary");
    await payer.shows("Confira o número do cartão.");
    expect(await payer.page.isVisible("#card_expiry_problem")).toBe(true);
    expect(await payer.page.isVisible("#card_cvv_problem")).toBe(false);
    expect(await payer.page.evaluate("document.activeElement.id")).toBe("card_number");
    expect(await payer.problems()).toEqual([]);
    expect(pagarme.requests).toHaveLength(before);
    await fillCard(payer);
    await payer.press();
    expect(await payer.heading()).toBe("Pagamento confirmado");
  });

  test("refuses a card whose last month is over, or too far away, and sends it nowhere", async () => {
    const payer = await opened();
    const before = pagarme.requests.length;
    await fillPerson(payer);
    const month = Temporal.Instant.fromEpochMilliseconds(pages.service.clock.nowMs())
      .toZonedDateTimeISO("America/Sao_Paulo")
      .toPlainDate()
      .toPlainYearMonth();
    const written = (months: number): string => {
      const { month: mm, year } = month.add({ months });
      return `${String(mm).padStart(2, "0")}/${String(year).slice(2)}`;
    };
    for (const [months, said] of [
      [-1, "Este cartão está vencido. Use outro."],
      [241, "Confira a validade: mês e ano, como 07/30."],
    ] as const) {
      await fillCard(payer, { expiry: written(months) });
      await payer.page.click("main button.primary");
      await payer.shows(said);
      expect(await payer.page.evaluate("document.activeElement.id")).toBe("card_expiry");
    }
    expect(await payer.problems()).toEqual([]);
    expect(pagarme.requests).toHaveLength(before);
    await fillCard(payer, { expiry: written(0) });
    await payer.press();
    expect(await payer.heading()).toBe("Pagamento confirmado");
  });

  test("says the brands that are taken, and the number's own as it is typed", async () => {
    const payer = await opened();
    const said = async () => (await payer.page.innerText("#card_brand")).trim();
    const all = "Aceitos: Visa, Mastercard, Elo, Hipercard e American Express.";
    expect(await said()).toBe(all);
    for (const [number, text] of [
      ["40000", all],
      ["400000", "Cartão Visa"],
      ["401178", "Cartão Elo"],
      ["650486", "Cartão Elo"],
      ["606282", "Cartão Hipercard"],
      ["545454", "Cartão Mastercard"],
      ["222100", "Cartão Mastercard"],
      ["378282", "Cartão American Express"],
      ["360000", all],
    ] as const) {
      await payer.page.fill("#card_number", "");
      await payer.page.locator("#card_number").pressSequentially(number);
      expect(await said()).toBe(text);
    }
    expect(await payer.problems()).toEqual([]);
  });

  test("keeps the card, and sends nothing, while another field is empty", async () => {
    const payer = await opened();
    const before = pagarme.requests.length;
    await fillPerson(payer);
    await payer.page.fill("#city", "");
    await fillCard(payer);
    await payer.page.click("main button.primary");
    await expect.poll(async () => await payer.page.evaluate("document.activeElement.id")).toBe("city");
    const grouped = PAID_CARD.replaceAll(/(.{4})(?=.)/g, "$1 ");
    expect(await payer.page.inputValue("#card_number")).toBe(grouped);
    expect(pagarme.requests).toHaveLength(before);
    await payer.page.fill("#city", FULL_PERSON.address.city);
    await payer.press();
    expect(await payer.heading()).toBe("Pagamento confirmado");
  });

  test("lets the payer try again when Pagar.me does not answer", async () => {
    const payer = await opened();
    await fillPerson(payer);
    pagarme.fail("createToken", { kind: "status", status: 503 });
    await fillCard(payer);
    await payer.page.click("main button.primary");
    await payer.shows("O provedor do cartão não respondeu.");
    payer.complaints.splice(0);
    await payer.press();
    expect(await payer.heading()).toBe("Pagamento confirmado");
  });

  test("sends one token and makes one order for a double click", async () => {
    const count = () => pagarme.requests.filter(({ call }) => call === "createToken").length;
    const payer = await opened();
    const [orders, tokens] = [pagarme.account().orders.size, count()];
    await fillPerson(payer);
    await fillCard(payer);
    await payer.page.locator("main button.primary").dblclick();
    await payer.shows("Pagamento confirmado");
    expect([pagarme.account().orders.size - orders, count() - tokens]).toEqual([1, 1]);
  });

  test("keeps what was typed, but the card, when a field is wrong", async () => {
    const payer = await opened();
    await fillPerson(payer);
    await payer.page.fill("#document", "529.982.247-26");
    await fillCard(payer);
    await payer.press();
    expect(await payer.page.isVisible("#document_problem")).toBe(true);
    expect(await payer.page.inputValue("#email")).toBe(FULL_PERSON.email);
    expect(await payer.page.inputValue("#card_number")).toBe("");
    expect(await payer.page.content()).not.toContain(PAID_CARD);
    await payer.page.fill("#document", FULL_PERSON.document);
    await fillCard(payer);
    await payer.press();
    expect(await payer.heading()).toBe("Pagamento confirmado");
  });

  test("says without JavaScript that it needs it, and offers PIX where the merchant has it", async () => {
    const both = await connectPagarme({ service: pages.service, pagarme });
    const providers = createClient(ProvidersService, pages.service.core.transport);
    const request = { kind: ProviderKind.PIX, profile: "bacen", config: configAt(bank) };
    await providers.putProviderAccount(request, both.as);
    for (const [one, isPixOffered] of [
      [merchant, false],
      [both, true],
    ] as const) {
      const payer = await pages.newPage({ javaScriptEnabled: false });
      await payer.open(await one.newLink({ max_installments: 1 }), "card");
      if (isPixOffered) await payer.choose("card-1");
      expect(await payer.text()).toContain("precisa de JavaScript");
      expect((await payer.text()).includes("Pix funciona sem ele")).toBe(isPixOffered);
      expect(await payer.page.isVisible("#card_number")).toBe(false);
      expect(await payer.page.isDisabled("main button.primary")).toBe(true);
    }
  });
});
