import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, startPages, type Pages, type PayerPage } from "../../support/browser.ts";
import type { Outcome } from "../../support/pagarme/state.ts";
import {
  connectPagarme,
  KEYS,
  orderAgain,
  pagarmeOf,
  pass,
  type PagarmeMerchant,
  type PagarmeService,
} from "../pagarme-merchant.ts";
import { fillCard, fillPerson } from "./card-form.ts";
import { VISITS } from "./visits.ts";

const OTHER_CARD = "5162306219378829";
const TEXTS = {
  "pt-BR": {
    paid: "Pagamento confirmado",
    given: "Os dados que você informou antes serão usados de novo.",
    failed: "O pagamento não foi concluído",
    noFunds: "Saldo ou limite insuficiente.",
    expired: "O cartão está vencido.",
    forGood: "Use outro cartão.",
    wrongNumber: "Confira o número do cartão.",
    notTaken: "O provedor não aceitou os dados do cartão.",
    review: "Pagamento em análise",
    over: "O preço garantido terminou",
    confirming: "Confirmando o pagamento",
    exception: "Recebemos um valor que não pôde ser usado neste pagamento.",
    unusable: "O seu dinheiro não pôde ser usado",
    twice: "Recebemos o seu pagamento duas vezes",
  },
  en: {
    paid: "Payment confirmed",
    given: "The details that you gave before will be used again.",
    failed: "The payment did not go through",
    noFunds: "Insufficient funds or limit.",
    expired: "The card has expired.",
    forGood: "Use another card.",
    wrongNumber: "Check the card number.",
    notTaken: "The provider did not accept the card's details.",
    review: "Payment under review",
    over: "The held price has ended",
    confirming: "Confirming the payment",
    exception: "We received an amount that could not be used for this payment.",
    unusable: "Your money could not be used",
    twice: "We received your payment twice",
  },
} as const;

let pages: Pages;
let cards: PagarmeService;
let merchant: PagarmeMerchant;

describe.skipIf(!hasBrowser).each(VISITS)(
  "a card at Pagar.me in $locale on $width pixels",
  ({ locale, viewport }) => {
    const text = TEXTS[locale];
    beforeAll(async () => {
      pages = await startPages({ allowLoopbackProviders: true });
      cards = await pagarmeOf(pages.service, [{ ...KEYS, isAntifraudOn: true, domains: ["127.0.0.1"] }]);
      merchant = await connectPagarme(cards);
      cards.pagarme.setHook(`${pages.baseUrl}${new URL(merchant.callbackUrl).pathname}`);
    });
    afterAll(async () => {
      await cards.pagarme.stop();
      await pages.close();
    });

    const orders = () => [...cards.pagarme.account().orders.values()];
    const newestCharge = (): string => orders().at(-1)?.charges[0]?.id ?? "";

    /** Opens a link and says who pays, but not by which card. */
    async function atForm(option?: string): Promise<PayerPage> {
      const payer = await pages.newPage({ locale, viewport });
      const installments = option === undefined ? 1 : 18;
      await payer.open(
        await merchant.newLink({
          amount: 100_003,
          payment_methods: ["card"],
          max_installments: installments,
        }),
      );
      if (option !== undefined) {
        expect(await payer.problems()).toEqual([]);
        await payer.choose(option);
      }
      await fillPerson(payer);
      return payer;
    }

    async function payBy(payer: PayerPage, card: Parameters<typeof fillCard>[1] = {}): Promise<void> {
      await fillCard(payer, card);
      await payer.press();
    }

    async function comesTo(payer: PayerPage, heading: string): Promise<void> {
      await payer.shows(heading);
      expect(await payer.heading()).toBe(heading);
      expect(await payer.problems()).toEqual([]);
    }

    test("is paid in 18 installments at the total that each page shows", async () => {
      const payer = await atForm("card-18");
      expect(await payer.problems()).toEqual([]);
      const shown = await payer.total();
      await payBy(payer);
      await comesTo(payer, text.paid);
      expect((await payer.total()).minor).toBe(shown.minor);
      const [charge] = orders().at(-1)?.charges ?? [];
      expect([charge?.paidMinor, charge?.installments]).toEqual([shown.minor, 18]);
    });

    test("is declined, and then paid by another card at the same price", async () => {
      const payer = await atForm();
      const shown = await payer.total();
      await payBy(payer, { cvv: "651" });
      await comesTo(payer, text.failed);
      expect(await payer.text()).toContain(text.noFunds);
      await payer.press();
      expect(await payer.text()).toContain(text.given);
      expect(await payer.problems()).toEqual([]);
      await payBy(payer, { number: OTHER_CARD });
      await comesTo(payer, text.paid);
      expect((await payer.total()).minor).toBe(shown.minor);
    });

    test("is declined for good: it is not taken again, and another one is", async () => {
      const payer = await atForm();
      await payBy(payer, { cvv: "654" });
      await comesTo(payer, text.failed);
      expect(await payer.text()).toContain(text.expired);
      const before = orders().length;
      await payer.press();
      await payBy(payer);
      expect(await payer.text()).toContain(text.forGood);
      expect(await payer.problems()).toEqual([]);
      expect(orders()).toHaveLength(before);
      await payBy(payer, { number: OTHER_CARD });
      await comesTo(payer, text.paid);
    });

    test.each<[Outcome["kind"], Parameters<typeof cards.pagarme.endWaiting>[1]]>([
      ["processing", { kind: "paid" }],
      ["processing", { kind: "declined", code: "51" }],
      ["review", { kind: "paid" }],
      ["review", { kind: "refused_by_antifraud" }],
    ])("is in %s, which the page says, and comes to %o, which it shows by itself", async (kind, end) => {
      const payer = await atForm();
      cards.pagarme.decide({ kind });
      await payer.untilWatching(async () => await payBy(payer));
      await comesTo(payer, text.review);
      cards.pagarme.endWaiting(newestCharge(), end);
      await cards.pagarme.callbacks.settled();
      // What a busy machine did not answer in time is posted again.
      await cards.pagarme.callbacks.retry();
      expect(cards.pagarme.callbacks.waitingCount).toBe(0);
      await pages.service.core.tasks.answerCallbacks();
      await comesTo(payer, end.kind === "paid" ? text.paid : text.failed);
    });

    /** Pays, and Pagar.me's answer is lost: the page confirms the payment, and watches it. */
    async function unanswered(): Promise<PayerPage> {
      const payer = await atForm();
      cards.pagarme.fail("createOrder", { kind: "lost" });
      await payer.untilWatching(async () => await payBy(payer));
      await comesTo(payer, text.confirming);
      pages.service.faults.length = 0;
      return payer;
    }

    test("whose answer is lost is confirmed by the page, and charged once", async () => {
      const before = orders().length;
      const payer = await unanswered();
      await pass(cards, 31);
      await comesTo(payer, text.paid);
      expect(orders()).toHaveLength(before + 1);
    });

    test("whose result comes after its end is neither paid nor asked for again, as the page says", async () => {
      const payer = await unanswered();
      cards.pagarme.hide(orders().at(-1)?.code ?? "", 900);
      for (const seconds of [31, 60, 60]) await pass(cards, seconds);
      await comesTo(payer, text.failed);
      await pass(cards, 3600);
      await payer.page.reload();
      await comesTo(payer, text.unusable);
      expect(await payer.text()).toContain(text.exception);
      expect(await payer.page.locator("main .primary").count()).toBe(0);
    });

    test("that was charged twice is paid once, and the page says that the rest goes back", async () => {
      const payer = await atForm();
      cards.pagarme.decide({ kind: "processing" });
      await payer.untilWatching(async () => await payBy(payer));
      const first = newestCharge();
      await orderAgain(cards.pagarme, orders().at(-1)?.code ?? "");
      cards.pagarme.endWaiting(first, { kind: "paid" });
      await pass(cards, 31);
      await comesTo(payer, text.twice);
    });

    test("whose details are wrong is sent nowhere, or is refused there, and never comes to us", async () => {
      const payer = await atForm();
      const before = orders().length;
      const posted: string[] = [];
      payer.page.on("request", (request) => {
        if (request.method() === "POST") posted.push(new URL(request.url()).origin);
      });
      const press = async (): Promise<void> => await payer.page.click("main button.primary");
      await fillCard(payer, { number: "4000000000000011" });
      await press();
      await payer.shows(text.wrongNumber);
      expect(posted).toEqual([]);
      expect(await payer.problems()).toEqual([]);
      // Its check digit is right, and no brand has such numbers.
      await fillCard(payer, { number: "1000000000000008" });
      await press();
      await payer.shows(text.notTaken);
      expect(posted).toEqual([cards.pagarme.origin]);
      expect(await payer.problems()).toEqual([]);
      expect(orders()).toHaveLength(before);
      await payBy(payer);
      await comesTo(payer, text.paid);
    });

    test("is not charged after its session's end, which the page says", async () => {
      const payer = await atForm();
      const before = orders().length;
      await pass(cards, 961);
      await payBy(payer);
      await comesTo(payer, text.over);
      expect(orders()).toHaveLength(before);
    });
  },
);
