import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser.ts";
import { pass, PERSON } from "../card-merchant.ts";
import { PAGE_NAMES, startAsaasPayers, type AsaasPayers } from "./asaas-payer.ts";
import { VISITS } from "./visits.ts";

const CALLS = { invoice: "createPayment", checkout: "createCheckout" } as const;

let at: AsaasPayers;

describe.skipIf(!hasBrowser).each(VISITS)(
  "a card at Asaas that takes a detour, in $locale on $width pixels",
  (visit) => {
    beforeAll(async () => {
      at = await startAsaasPayers(visit);
    });
    afterAll(async () => {
      await at.close();
    });

    test.each(PAGE_NAMES)("waits for its %s whose answer is lost, comes to it and pays", async (name) => {
      const { asaas, service } = at.cards;
      const payer = await at.filled("card-2", name);
      asaas.fail(CALLS[name], { kind: "lost" });
      await payer.untilWatching(async () => await payer.press());
      await at.ends(payer, at.text.waiting);
      expect(await payer.text()).toContain(at.text.preparing);
      expect(await payer.page.locator("main .primary").count()).toBe(0);
      expect(service.faults.splice(0)).not.toEqual([]);
      await pass(at.cards, 3);
      await payer.shows(at.text.ready);
      expect(await payer.problems()).toEqual([]);
      await at.atProvider(payer, "paid");
      await pass(at.cards, 31);
      await at.ends(payer, at.text.paid);
    });

    test("is paid after its end, and the page says that the money goes back", async () => {
      const payer = await at.waiting("card-1");
      const [charge] = at.cards.asaas.paymentsOf(await at.newestReference());
      await pass(at.cards, 961);
      await at.ends(payer, at.text.failed);
      at.cards.asaas.pay(charge?.id ?? "");
      await pass(at.cards, 3600);
      await payer.page.reload();
      await at.ends(payer, at.text.unusable);
      expect(await payer.page.locator("main .primary").count()).toBe(0);
    });

    test("is charged twice and paid once, and the page says that the rest goes back", async () => {
      const { asaas } = at.cards;
      asaas.fail("createPayment", { kind: "twice" });
      const payer = await at.waiting("card-1");
      const charges = asaas.paymentsOf(await at.newestReference());
      expect(charges).toHaveLength(2);
      const address = await payer.page.locator("main a.primary").getAttribute("href");
      const twin = charges.find(({ id }) => !address?.endsWith(id.slice("pay_".length)));
      asaas.pay(twin?.id ?? "");
      await at.atProvider(payer, "paid");
      await pass(at.cards, 31);
      await at.ends(payer, at.text.twice);
    });

    test("is given up on its checkout: the payer is back, chooses again and pays", async () => {
      const payer = await at.waiting("card-3", "checkout");
      const url = payer.page.url();
      const former = await at.newestReference("checkout");
      await payer.press();
      await payer.follow('a:has-text("Desistir")');
      expect(payer.page.url()).toBe(url);
      await at.ends(payer, at.text.waiting);
      await payer.follow('main a[href*="choose"]');
      expect(await payer.problems()).toEqual([]);
      await payer.choose("card-1");
      await payer.press();
      expect(at.cards.asaas.checkoutsOf(former).map(({ status }) => status)).toEqual(["CANCELED"]);
      await at.atProvider(payer, "paid");
      await at.ends(payer, at.text.paid);
      expect(await at.newest("checkout")).toMatchObject({ status: "succeeded", installments: 1 });
    });

    test("has a wrong check digit in its CPF, which its field tells and keeps with the rest", async () => {
      const { asaas } = at.cards;
      const wrong = { ...PERSON, document: "529.982.247-26" };
      const payer = await at.filled("card-2", "invoice", wrong);
      const before = asaas.requests.length;
      await payer.press();
      const invalid = payer.page.locator('main [aria-invalid="true"]');
      expect(await invalid.evaluateAll((fields) => fields.map(({ id }) => id))).toEqual(["document"]);
      const told = (await invalid.getAttribute("aria-describedby"))?.split(" ") ?? [];
      const texts = told.map(async (id) => await payer.page.locator(`#${id}`).innerText());
      expect((await Promise.all(texts)).join(" ")).toContain(at.text.wrongDocument);
      const typed = ["name", "document"].map(async (id) => await payer.page.inputValue(`#${id}`));
      expect(await Promise.all(typed)).toEqual([wrong.name, wrong.document]);
      expect(await payer.problems()).toEqual([]);
      expect(asaas.requests).toHaveLength(before);
      await payer.page.fill("#document", PERSON.document);
      await payer.press();
      await at.ends(payer, at.text.waiting);
    });
  },
);
