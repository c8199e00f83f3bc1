import { describe, expect, test } from "vitest";
import { textOf } from "../support/page-text.ts";
import { LIST, NEW, QuotePages, written } from "./quote-pages.ts";

const quotes = await QuotePages.forFile();
const { merchant, owner, pricing } = quotes;

/** The cells of the prices' rows, by the row's name. */
function pricesOf(body: string): Map<string, string[]> {
  const part = /<section class="card prices"[\s\S]*?<\/section>/.exec(body)?.[0] ?? "";
  const rows = [...part.matchAll(/<tr [^>]*>([\s\S]*?)<\/tr>/g)]
    .slice(1)
    .map(([, row = ""]) =>
      [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = ""]) => textOf(cell).trim()),
    );
  return new Map(rows.map(([name = "", , ...cells]) => [name, cells]));
}

describe("the prices beside the form", () => {
  test.each([
    { amount: "1.599,90", currency: "BRL", fee_handling: "absorb" },
    { amount: "1.599,91", currency: "BRL", fee_handling: "pass_through" },
    { amount: "77,77", currency: "USD", fee_handling: "pass_through" },
    { amount: "3", currency: "USD", fee_handling: "" },
  ])("are those that the quotes made from it store: %j", async (form) => {
    const { body } = await owner.get(`${LIST}/prices?${new URLSearchParams(form).toString()}`, {
      "hx-request": "true",
    });
    expect(body).not.toContain("<html");
    expect(textOf(body)).toMatch(/Câmbio: US\$ 1 = R\$\s5,513582\. A partir do câmbio publicado em \d/);
    const prices = pricesOf(body);
    const { answer } = await quotes.create(form);
    const count = Number(/made=(\d+)&proof=/.exec(answer.headers.location ?? "")?.[1]);
    expect(count).toBeGreaterThan(2);
    const { data } = await pricing.listQuotes({ limit: count }, merchant.as);
    for (const { quote, details } of data) {
      if (!quote || !details) throw new Error("no quote");
      const name = ["", "Pix", `Cartão de crédito ${quote.installments}x`, "Transferência (TED)"][
        quote.paymentMethod
      ];
      const { breakdown, installments } = quote;
      const { firstInstallment: first, otherInstallment: other } = details;
      const others = written(other, "BRL");
      const parts =
        first === other
          ? `${installments} × ${others}`
          : `1 × ${written(first, "BRL")} + ${installments - 1} × ${others}`;
      const money = (of: { amount: bigint; currency: string } | undefined) =>
        written(of?.amount ?? -1n, of?.currency ?? "BRL");
      expect([name, prices.get(name ?? "")]).toEqual([
        name,
        [
          `${written(quote.payerTotal, quote.payerCurrency)}${installments === 1 ? "" : ` ${parts}`}`,
          written(quote.receiverNet, quote.receiverCurrency),
          money(breakdown?.totalFee),
          written(breakdown?.serviceFee?.finalCents ?? -1n, details.pricingCurrency),
          money(breakdown?.installmentSurcharge),
          written(breakdown?.tax?.iofAmountCents ?? -1n, details.pricingCurrency),
        ],
      ]);
    }
  });

  test("show why there are none, and ask for the amount first", async () => {
    const prices = async (query: string) =>
      textOf((await owner.get(`${LIST}/prices?${query}`, { "hx-request": "true" })).body);
    expect(await prices("amount=")).toContain("Digite o valor");
    expect(await prices("amount=1,234&currency=BRL")).toContain("duas formas");
    expect(await prices("amount=0,30&currency=BRL&fee_handling=absorb")).toContain("Nada sobraria");
    expect(await prices("payment_intent_id=pi_nothing")).toContain("não é aceito");
    expect((await owner.get(`${LIST}/prices?amount=10`)).headers.location).toBe(`${NEW}?amount=10`);
  });
});
