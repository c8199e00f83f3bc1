import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser.ts";
import { pass, PERSON } from "../card-merchant.ts";
import { PAGE_NAMES, startAsaasPayers, type AsaasPayers, type PageName } from "./asaas-payer.ts";
import { VISITS } from "./visits.ts";

let at: AsaasPayers;

describe.skipIf(!hasBrowser).each(VISITS)("a card at Asaas in $locale on $width pixels", (visit) => {
  beforeAll(async () => {
    at = await startAsaasPayers(visit);
  });
  afterAll(async () => {
    await at.close();
  });

  test.each(PAGE_NAMES)("is paid on its %s in 21 installments at the total of each page", async (name) => {
    const payer = await at.opened(name);
    expect(await payer.problems()).toEqual([]);
    await payer.choose("card-21");
    expect(await payer.problems()).toEqual([]);
    const shown = await payer.total();
    await payer.press();
    expect(await payer.page.locator('[aria-invalid="true"]').count()).toBeGreaterThan(0);
    await payer.page.fill("#name", PERSON.name);
    await payer.page.fill("#document", PERSON.document);
    await payer.press();
    await at.ends(payer, at.text.waiting);
    await payer.press();
    expect(await payer.page.locator("[data-total]").getAttribute("data-total")).toBe(String(shown.minor));
    if (name === "checkout") await payer.page.selectOption("#count", "21");
    await payer.follow('button[value="paid"]');
    await pass(at.cards, 31);
    await at.ends(payer, at.text.paid);
    expect((await payer.total()).minor).toBe(shown.minor);
    expect(await at.newest(name)).toMatchObject({ status: "succeeded", installments: 21 });
  });

  test.each(PAGE_NAMES)("is declined on its %s, and paid by another card there", async (name) => {
    const payer = await at.waiting("card-2", name);
    await at.atProvider(payer, "declined");
    expect(await payer.page.locator('[role="alert"]').count()).toBe(1);
    // The worker has not asked yet: the page does, when the payer is back.
    await payer.follow('button[value="paid"]');
    await at.ends(payer, at.text.paid);
  });

  test.each(["approved", "reproved"] as const)("is reviewed, and then %s", async (decision) => {
    const payer = await at.waiting("card-3");
    const url = payer.page.url();
    await at.atProvider(payer, "review");
    await pass(at.cards, 31);
    await payer.goto(url);
    await at.ends(payer, at.text.review);
    const [reviewed] = at.cards.asaas.paymentsOf(await at.newestReference("invoice"));
    at.cards.asaas.endReview(reviewed?.id ?? "", decision);
    await pass(at.cards, 61);
    await at.ends(payer, decision === "approved" ? at.text.paid : at.text.failed);
  });

  test("is left for one in other installments, whose page takes the place of the former", async () => {
    const payer = await at.waiting("card-3");
    await payer.follow('main a[href*="choose"]');
    expect(await payer.problems()).toEqual([]);
    await payer.choose("card-1");
    expect(await payer.page.locator("#name").count()).toBe(0);
    await payer.press();
    await at.atProvider(payer, "paid");
    await pass(at.cards, 31);
    await at.ends(payer, at.text.paid);
  });

  test.each(PAGE_NAMES.flatMap((name) => [[name, "refused"] as const, [name, "abandoned"] as const]))(
    "on its %s is %s: the payer's page says that it was not paid, and nothing is left to pay",
    async (name, outcome) => {
      const payer = await at.waiting("card-1", name);
      if (outcome === "refused") {
        const url = payer.page.url();
        await at.atProvider(payer, "declined");
        await payer.goto(url);
        await at.ends(payer, at.text.waiting);
      }
      expect(await isPayable(name)).toBe(true);
      await pass(at.cards, 961);
      await at.ends(payer, at.text.failed);
      expect(await isPayable(name)).toBe(false);
    },
  );

  /** Whether the newest payment can still be paid at the provider. */
  async function isPayable(name: PageName): Promise<boolean> {
    const reference = await at.newestReference(name);
    const { asaas } = at.cards;
    return (
      asaas.paymentsOf(reference).some(({ isDeleted }) => !isDeleted) ||
      asaas.checkoutsOf(reference).some(({ status }) => status === "ACTIVE")
    );
  }
});
