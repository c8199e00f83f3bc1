import { expect } from "vitest";
import { startPages, type PayerPage } from "../../support/browser.ts";
import { AsaasPage } from "../../../gen/paylink/providers/v1/providers_pb.ts";
import {
  API_KEY,
  cardsOf,
  connectCards,
  PERSON,
  type CardMerchant,
  type CardService,
} from "../card-merchant.ts";
import type { VISITS } from "./visits.ts";

const LINK = { amount: 100_000, payment_methods: ["card"], max_installments: 21 };
const TEXTS = {
  "pt-BR": {
    waiting: "Falta pagar com o cartão",
    preparing: "A página do cartão está sendo preparada.",
    ready: "Pague na página segura do provedor.",
    paid: "Pagamento confirmado",
    failed: "O pagamento não foi concluído",
    review: "Pagamento em análise",
    unusable: "O seu dinheiro não pôde ser usado",
    twice: "Recebemos o seu pagamento duas vezes",
    wrongDocument: "Há um dígito errado neste CPF ou CNPJ.",
  },
  en: {
    waiting: "The card is still to be paid",
    preparing: "The card page is being prepared.",
    ready: "Pay on the provider's secure page.",
    paid: "Payment confirmed",
    failed: "The payment did not go through",
    review: "Payment under review",
    unusable: "Your money could not be used",
    twice: "We received your payment twice",
    wrongDocument: "A digit of this CPF or CNPJ is wrong.",
  },
} as const;

/** The pages of Asaas, each of a merchant of its own. */
const PAGES = { invoice: AsaasPage.INVOICE, checkout: AsaasPage.CHECKOUT };
export type PageName = keyof typeof PAGES;
export const PAGE_NAMES = ["invoice", "checkout"] as const;
const KEYS = { invoice: API_KEY, checkout: `${API_KEY}-2` };

/** Payers of one language and device, whose cards are paid on a page of Asaas. */
export interface AsaasPayers {
  readonly text: (typeof TEXTS)["pt-BR" | "en"];
  readonly cards: CardService;
  /** Opens a link, where the payer may choose an option. */
  readonly opened: (name?: PageName) => Promise<PayerPage>;
  /** Opens a link, chooses an option and says who pays. */
  readonly filled: (option: string, name?: PageName, person?: typeof PERSON) => Promise<PayerPage>;
  /** Starts a payment by an option: the page then leads to the provider. */
  readonly waiting: (option: string, name?: PageName) => Promise<PayerPage>;
  readonly atProvider: (payer: PayerPage, outcome: string) => Promise<void>;
  readonly ends: (payer: PayerPage, heading: string) => Promise<void>;
  readonly newest: (name: PageName) => Promise<Record<string, unknown>>;
  readonly newestReference: (name?: PageName) => Promise<string>;
  readonly close: () => Promise<void>;
}

export async function startAsaasPayers({ locale, viewport }: (typeof VISITS)[number]): Promise<AsaasPayers> {
  const text = TEXTS[locale];
  const pages = await startPages({ allowLoopbackProviders: true });
  const cards = await cardsOf(pages.service, Object.values(KEYS));
  const connect = async (name: PageName): Promise<CardMerchant> =>
    await connectCards(cards, KEYS[name], { page: PAGES[name] });
  const merchants = { invoice: await connect("invoice"), checkout: await connect("checkout") };

  const opened = async (name: PageName = "invoice"): Promise<PayerPage> => {
    const payer = await pages.newPage({ locale, viewport });
    await payer.open(await merchants[name].newLink(LINK));
    return payer;
  };
  const filled = async (option: string, name?: PageName, person = PERSON): Promise<PayerPage> => {
    const payer = await opened(name);
    await payer.choose(option);
    await payer.page.fill("#name", person.name);
    await payer.page.fill("#document", person.document);
    return payer;
  };
  const newest = async (name: PageName): Promise<Record<string, unknown>> => {
    const { body } = await merchants[name].api.get("/v1/payments?from=2020-01-01&to=2099-01-01&limit=1");
    return body.data[0];
  };
  return {
    text,
    cards,
    opened,
    filled,
    newest,
    waiting: async (option, name) => {
      const payer = await filled(option, name);
      await payer.press();
      expect(await payer.heading()).toBe(text.waiting);
      return payer;
    },
    atProvider: async (payer, outcome) => {
      await payer.press();
      expect(new URL(payer.page.url()).origin).toBe(cards.asaas.origin);
      await payer.follow(`button[value="${outcome}"]`);
    },
    ends: async (payer, heading) => {
      await payer.shows(heading);
      expect(await payer.heading()).toBe(heading);
      expect(await payer.problems()).toEqual([]);
    },
    newestReference: async (name = "invoice") => String((await newest(name))["id"]).replace("_", ""),
    close: async () => {
      await cards.asaas.stop();
      await pages.close();
    },
  };
}
