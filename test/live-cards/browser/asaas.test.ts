import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, startPages, type Pages, type PayerPage } from "../../support/browser.ts";
import { AsaasPage } from "../../../gen/paylink/providers/v1/providers_pb.ts";
import {
  API_KEY,
  cardsOf,
  connectCards,
  pass,
  PERSON,
  type CardMerchant,
  type CardService,
} from "../card-merchant.ts";
import { VISITS } from "./visits.ts";

const LINK = { amount: 100_000, payment_methods: ["card"], max_installments: 21 };
const TEXTS = {
  "pt-BR": {
    waiting: "Falta pagar com o cartão",
    paid: "Pagamento confirmado",
    failed: "O pagamento não foi concluído",
    review: "Pagamento em análise",
  },
  en: {
    waiting: "The card is still to be paid",
    paid: "Payment confirmed",
    failed: "The payment did not go through",
    review: "Payment under review",
  },
} as const;

let pages: Pages;
let cards: CardService;

/** The pages of Asaas, each of a merchant of its own. */
const PAGES = { invoice: AsaasPage.INVOICE, checkout: AsaasPage.CHECKOUT };
type PageName = keyof typeof PAGES;
const PAGE_NAMES = ["invoice", "checkout"] as const;
const KEYS = { invoice: API_KEY, checkout: `${API_KEY}-2` };
let merchants: Readonly<Record<PageName, CardMerchant>>;

describe.skipIf(!hasBrowser).each(VISITS)(
  "a card at Asaas in $locale on $width pixels",
  ({ locale, viewport }) => {
    const text = TEXTS[locale];
    beforeAll(async () => {
      pages = await startPages({ allowLoopbackProviders: true });
      cards = await cardsOf(pages.service, Object.values(KEYS));
      const connect = async (name: PageName): Promise<CardMerchant> =>
        await connectCards(cards, KEYS[name], { page: PAGES[name] });
      merchants = { invoice: await connect("invoice"), checkout: await connect("checkout") };
    });
    afterAll(async () => {
      await cards.asaas.stop();
      await pages.close();
    });

    /** Opens a link, chooses an option and says who pays: the page then leads to the provider. */
    async function waiting(option: string, name: PageName = "invoice"): Promise<PayerPage> {
      const payer = await pages.newPage({ locale, viewport });
      await payer.open(await merchants[name].newLink(LINK));
      await payer.choose(option);
      await payer.page.fill("#name", PERSON.name);
      await payer.page.fill("#document", PERSON.document);
      await payer.press();
      expect(await payer.heading()).toBe(text.waiting);
      return payer;
    }

    async function atProvider(payer: PayerPage, outcome: string): Promise<void> {
      await payer.press();
      expect(new URL(payer.page.url()).origin).toBe(cards.asaas.origin);
      await payer.follow(`button[value="${outcome}"]`);
    }

    async function ends(payer: PayerPage, heading: string): Promise<void> {
      await payer.shows(heading);
      expect(await payer.heading()).toBe(heading);
      expect(await payer.problems()).toEqual([]);
    }

    test.each(PAGE_NAMES)("is paid on its %s in 21 installments at the total of each page", async (name) => {
      const payer = await pages.newPage({ locale, viewport });
      await payer.open(await merchants[name].newLink(LINK));
      expect(await payer.problems()).toEqual([]);
      await payer.choose("card-21");
      expect(await payer.problems()).toEqual([]);
      const shown = await payer.total();
      await payer.press();
      expect(await payer.page.locator('[aria-invalid="true"]').count()).toBeGreaterThan(0);
      await payer.page.fill("#name", PERSON.name);
      await payer.page.fill("#document", PERSON.document);
      await payer.press();
      await ends(payer, text.waiting);
      await payer.press();
      expect(await payer.page.locator("[data-total]").getAttribute("data-total")).toBe(String(shown.minor));
      if (name === "checkout") await payer.page.selectOption("#count", "21");
      await payer.follow('button[value="paid"]');
      await pass(cards, 31);
      await ends(payer, text.paid);
      expect((await payer.total()).minor).toBe(shown.minor);
      expect(await newest(name)).toMatchObject({ status: "succeeded", installments: 21 });
    });

    test.each(PAGE_NAMES)("is declined on its %s, and paid by another card there", async (name) => {
      const payer = await waiting("card-2", name);
      await atProvider(payer, "declined");
      expect(await payer.page.locator('[role="alert"]').count()).toBe(1);
      // The worker has not asked yet: the page does, when the payer is back.
      await payer.follow('button[value="paid"]');
      await ends(payer, text.paid);
    });

    test.each(["approved", "reproved"] as const)("is reviewed, and then %s", async (decision) => {
      const payer = await waiting("card-3");
      const url = payer.page.url();
      await atProvider(payer, "review");
      await pass(cards, 31);
      await payer.goto(url);
      await ends(payer, text.review);
      const [reviewed] = cards.asaas.paymentsOf(await newestReference("invoice"));
      cards.asaas.endReview(reviewed?.id ?? "", decision);
      await pass(cards, 61);
      await ends(payer, decision === "approved" ? text.paid : text.failed);
    });

    test("is left for one in other installments, whose page takes the place of the former", async () => {
      const payer = await waiting("card-3");
      await payer.follow('main a[href*="choose"]');
      expect(await payer.problems()).toEqual([]);
      await payer.choose("card-1");
      expect(await payer.page.locator("#name").count()).toBe(0);
      await payer.press();
      await atProvider(payer, "paid");
      await pass(cards, 31);
      await ends(payer, text.paid);
    });

    test.each(PAGE_NAMES.flatMap((name) => [[name, "refused"] as const, [name, "abandoned"] as const]))(
      "on its %s is %s: the payer's page says that it was not paid, and nothing is left to pay",
      async (name, outcome) => {
        const payer = await waiting("card-1", name);
        if (outcome === "refused") {
          const url = payer.page.url();
          await atProvider(payer, "declined");
          await payer.goto(url);
          await ends(payer, text.waiting);
        }
        expect(await isPayable(name)).toBe(true);
        await pass(cards, 961);
        await ends(payer, text.failed);
        expect(await isPayable(name)).toBe(false);
      },
    );

    async function newest(name: PageName): Promise<Record<string, unknown>> {
      const { body } = await merchants[name].api.get("/v1/payments?from=2020-01-01&to=2099-01-01&limit=1");
      return body.data[0];
    }

    async function newestReference(name: PageName): Promise<string> {
      return String((await newest(name))["id"]).replace("_", "");
    }

    /** Whether the newest payment can still be paid at the provider. */
    async function isPayable(name: PageName): Promise<boolean> {
      const reference = await newestReference(name);
      const { asaas } = cards;
      return (
        asaas.paymentsOf(reference).some(({ isDeleted }) => !isDeleted) ||
        asaas.checkoutsOf(reference).some(({ status }) => status === "ACTIVE")
      );
    }
  },
);
