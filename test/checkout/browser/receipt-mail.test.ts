import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  advance,
  connectMerchant,
  startLive,
  type LiveMerchant,
  type LiveService,
} from "../../provider-accounts/live-merchant.ts";
import { hasBrowser, startPages, type Pages, type PayerPage } from "../../support/browser.ts";
import { smtpForFile } from "../../support/smtp.ts";

const { receiver, config } = await smtpForFile();

let live: LiveService;
let pages: Pages;
let merchant: LiveMerchant;

describe.skipIf(!hasBrowser)("a receipt by e-mail", () => {
  beforeAll(async () => {
    pages = await startPages({ mail: config }, async (settings) => {
      live = await startLive(settings);
      return live.service;
    });
    merchant = await connectMerchant(live);
  });
  afterAll(async () => {
    await pages.close();
    await live.bank.stop();
  });

  /** Opens the receipt of a payment. */
  const paid = async (options: object): Promise<PayerPage> => {
    const { payer, paymentId, reference } = await merchant.start({ description: "Bolo" });
    live.bank.pay(reference, 15_990n);
    advance(live, 60);
    await live.service.core.tasks.checkCharges();
    expect(await merchant.status(paymentId)).toBe("succeeded");
    const page = await pages.newPage(options);
    await page.goto(`/pay/${(await payer.page()).linkId}/${payer.sessionId}`);
    return page;
  };

  test.each([
    ["pt-BR", true, "Enviar comprovante", "Este e-mail está incompleto", "a caminho do seu e-mail"],
    ["en", true, "Send the receipt", "This e-mail address is incomplete", "on its way to your e-mail"],
    ["pt-BR", false, "Enviar comprovante", "Este e-mail está incompleto", "a caminho do seu e-mail"],
  ])(
    "is asked for on the receipt, corrected and sent (%s, script: %s)",
    async (locale, javaScriptEnabled, button, wrong, sent) => {
      const payer = await paid({ locale, javaScriptEnabled });
      const { page } = payer;
      const problems = async () => (javaScriptEnabled ? await payer.problems() : []);
      expect(await problems()).toEqual([]);
      const to = `ana-${locale}-${javaScriptEnabled}@shop.example`;
      // A browser that finds nothing wrong with it.
      await page.fill("#email", to.replace(".example", ""));
      await payer.follow(`button:text-is("${button}")`);
      await payer.shows(wrong);
      expect(await page.inputValue("#email")).toBe(to.replace(".example", ""));
      const { y = -1, height = 0 } = (await page.locator("#email").boundingBox()) ?? {};
      expect([y >= 0, y + height <= (page.viewportSize()?.height ?? 0)]).toEqual([true, true]);
      expect(await problems()).toEqual([]);
      await page.fill("#email", to);
      await payer.follow(`button:text-is("${button}")`);
      await payer.shows(sent);
      expect(await page.inputValue("#email")).toBe("");
      expect(await problems()).toEqual([]);
      advance(live, 60);
      await live.service.core.tasks.sendMail();
      const [{ parsed } = { parsed: undefined }] = receiver.to(to);
      // The address in it shows the same receipt.
      const [address = ""] = /http\S+/.exec(parsed?.text ?? "") ?? [];
      await payer.goto(address);
      expect(await payer.text()).toContain("R$");
      expect(new URL(address).origin).toBe(pages.baseUrl);
    },
  );
});
