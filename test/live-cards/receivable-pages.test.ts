import { dayText } from "../../contract/date-text.ts";
import { describe, expect, test } from "vitest";
import { ConsoleClient, createUser } from "../support/console.ts";
import { CORE_TOKEN } from "../support/core-options.ts";
import { openCorePorts } from "../support/core-server.ts";
import { runCommand } from "../support/process.ts";
import { connectCards, startCards, type CardMerchant, type CardService } from "./card-merchant.ts";
import { days, PaidCard } from "./paid-card.ts";

const spaced = (body: string): string => body.replaceAll(/[\u00A0\u202F]/g, " ");

/** A payment in installments of which one is contested and one is refunded in part. */
async function contested(cards: CardService, merchant: CardMerchant): Promise<PaidCard> {
  const card = await PaidCard.pay(cards, merchant, 3);
  await days(cards, 0);
  await merchant.api.post(`/v1/payments/${card.id}/refunds`, { amount: 1234 });
  cards.asaas.anticipate(card.atProvider[1]?.id ?? "", 250n);
  cards.asaas.chargeback(card.firstId, { reason: "FRAUD" });
  await card.tell();
  return card;
}

describe("the console", () => {
  test("and the command line show the provider's money apart from the price, and the contest with its deadline, in both languages", async () => {
    const cards = await startCards();
    const merchant = await connectCards(cards);
    const card = await contested(cards, merchant);
    const client = new ConsoleClient(
      cards.service,
      await createUser(cards.service, merchant.tenant.id, "viewer"),
    );
    const page = async (path: string, language: string): Promise<string> =>
      spaced((await client.get(`/console/live${path}?lang=${language}`)).body);
    const path = `/payments/${card.id}`;
    const deadline = dayText("en", card.atProvider[0]?.chargeback?.deadlineOn ?? "");
    const texts: Readonly<Record<string, readonly string[]>> = {
      en: [
        "At the card provider",
        "Anticipation",
        "R$2.50",
        "R$12.34",
        "needs your response",
        "purchase not recognized",
        deadline,
      ],
      "pt-BR": [
        "No provedor do cartão",
        "Antecipação",
        "R$ 2,50",
        "R$ 12,34",
        "espera a sua resposta",
        "compra não reconhecida",
      ],
    };
    for (const [language, expected] of Object.entries(texts)) {
      const body = await page(path, language);
      for (const text of expected) expect(body).toContain(text);
    }
    expect(await page("", "en")).toContain("Disputes that wait for your documents: 1");
    expect(await page("/payments/disputes", "en")).toContain(`href="/console/live${path}"`);
    const ports = await openCorePorts(cards.service.core);
    const env = { CORE_URL: `http://${ports.http2}`, CORE_TOKEN };
    const listed = async (...args: string[]): Promise<unknown> => {
      const of = ["--tenant", merchant.tenant.id, "--mode", "live", "--json"];
      return JSON.parse((await runCommand(["payments", ...args, ...of], env)).stdout);
    };
    expect(await listed("receivables", card.id)).toMatchObject([
      { installment: 1, chargeback: Number(card.atProvider[0]?.valueMinor), paid_out_on: "" },
      { installment: 2, anticipation_fee: 250, outstanding: 0 },
      { installment: 3, refund_deduction: 1234, currency: "BRL" },
    ]);
    const dispute = { payment_id: card.id, status: "needs_response", reason: "FRAUD" };
    expect(await listed("disputes", "--open")).toMatchObject([dispute]);
    await ports.close();
    cards.asaas.moveChargeback(card.firstId, "disputed");
    await card.tell();
    expect(await page("", "en")).not.toContain("Disputes that wait");
    expect(await page("/payments/disputes", "pt-BR")).toContain("em análise");
    await cards.close();
  });
});
