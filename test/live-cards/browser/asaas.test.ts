import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, startPages, type Pages, type PayerPage } from "../../support/browser.ts";
import {
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
    over: "O preço garantido terminou",
  },
  en: {
    waiting: "The card is still to be paid",
    paid: "Payment confirmed",
    failed: "The payment did not go through",
    review: "Payment under review",
    over: "The held price has ended",
  },
} as const;

let pages: Pages;
let cards: CardService;
let merchant: CardMerchant;

describe.skipIf(!hasBrowser).each(VISITS)(
  "a card at Asaas in $locale on $width pixels",
  ({ locale, viewport }) => {
    const text = TEXTS[locale];
    beforeAll(async () => {
      pages = await startPages({ allowLoopbackProviders: true });
      cards = await cardsOf(pages.service);
      merchant = await connectCards(cards);
    });
    afterAll(async () => {
      await cards.asaas.stop();
      await pages.close();
    });

    /** Opens a link, chooses an option and says who pays: the page then leads to the provider. */
    async function waiting(option: string): Promise<PayerPage> {
      const payer = await pages.newPage({ locale, viewport });
      await payer.open(await merchant.newLink(LINK));
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

    test("is paid in 21 installments at the total that the page shows", async () => {
      const payer = await pages.newPage({ locale, viewport });
      await payer.open(await merchant.newLink(LINK));
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
      await payer.follow('button[value="paid"]');
      await pass(cards, 31);
      await ends(payer, text.paid);
      expect((await payer.total()).minor).toBe(shown.minor);
    });

    test("is declined there, and paid by another card on the same page", async () => {
      const payer = await waiting("card-2");
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
      const [reviewed] = cards.asaas.paymentsOf((await newestReference()).reference);
      cards.asaas.endReview(reviewed?.id ?? "", decision);
      await pass(cards, 61);
      await ends(payer, decision === "approved" ? text.paid : text.failed);
    });

    test("is left for one in other installments, whose page takes the place of the former", async () => {
      const payer = await waiting("card-3");
      await payer.follow('main a[href*="choose"]');
      expect(await payer.problems()).toEqual([]);
      await payer.choose("card-1");
      await payer.page.fill("#name", PERSON.name);
      await payer.page.fill("#document", PERSON.document);
      await payer.press();
      await atProvider(payer, "paid");
      await pass(cards, 31);
      await ends(payer, text.paid);
    });

    test("is abandoned: its page says that the price has ended, and nothing is left to pay", async () => {
      const payer = await waiting("card-1");
      const url = payer.page.url();
      await pass(cards, 961);
      await payer.goto(url);
      expect([text.over, text.failed]).toContain(await payer.heading());
      expect(await payer.problems()).toEqual([]);
      const { reference } = await newestReference();
      expect(cards.asaas.paymentsOf(reference).every(({ isDeleted }) => isDeleted)).toBe(true);
    });

    async function newestReference(): Promise<{ reference: string }> {
      const { body } = await merchant.api.get("/v1/payments?from=2020-01-01&to=2099-01-01&limit=1");
      return { reference: String(body.data[0].id).replace("_", "") };
    }
  },
);
