import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { providerLines, type ProviderEntryKind } from "../../src/ledger/provider-postings.ts";
import { successLines } from "../../src/ledger/postings.ts";
import { computePrice, type PriceInput } from "../../src/pricing/price.ts";
import { formatMicros, parseRateMicros, publicRateMicros } from "../../src/pricing/rate.ts";
import { tableUnder } from "../support/markdown.ts";

const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "pricing.md"), "utf8");

/** The whole numbers of a cell, in their order. */
const numbersIn = (cell = ""): bigint[] => [...cell.matchAll(/\d+/g)].map(([digits]) => BigInt(digits));

const given = new Map(tableUnder(page, "| given |").map(([name = "", value = ""]) => [name, value]));
const [percentPpm = 0n, fixedMinor = 0n, minMinor = 0n] = numbersIn(
  given.get("percentage, fixed, minimum, maximum"),
);
const [surchargePpm = 0n] = numbersIn(given.get("surcharge of 3 installments"));
const [spot = "", coverage = ""] = (given.get("spot, coverage") ?? "").split(", ");
const rateMicros = publicRateMicros(parseRateMicros(spot), numbersIn(coverage)[0] ?? 0n);
const input: PriceInput = {
  amountMinor: numbersIn(given.get("amount"))[0] ?? 0n,
  currency: "BRL",
  payoutCurrency: given.get("payout") === "USD" ? "USD" : "BRL",
  method: "card",
  installments: 3,
  feeHandling: "pass_through",
  rule: { percentPpm, fixedMinor, minMinor, maxMinor: null, surchargePpm: [0n, 0n, surchargePpm] },
  rateMicros,
  iof: { ppm: numbersIn(given.get("IOF"))[0] ?? 0n, enabled: true },
};

describe("the example of docs/pricing.md", () => {
  const price = computePrice(input);

  test("is what the code makes of what is given", () => {
    const brl = (minor: bigint): string => `${minor} BRL`;
    expect(tableUnder(page, "| made |")).toEqual([
      ["public rate", formatMicros(rateMicros)],
      ["base", brl(price.baseMinor)],
      ["gross", brl(price.grossMinor)],
      ["percentage of the gross", brl(price.percentAmountMinor)],
      ["service fee", brl(price.serviceFeeMinor)],
      ["surcharge", brl(price.installmentSurchargeMinor)],
      ["IOF", brl(price.iofAmountMinor)],
      ["net", brl(price.netMinor)],
      ["total fee", brl(price.totalFeeMinor)],
      ["payer's total", brl(price.payerTotalMinor)],
      ["first installment", brl(price.firstInstallmentMinor)],
      ["other installments", brl(price.otherInstallmentMinor)],
      ["receiver's net", `${price.receiverNetMinor} ${price.receiverCurrency}`],
    ]);
    expect(price.pricingCurrency).toBe("BRL");
  });

  test("is booked as the page shows it", () => {
    const side = (minor: bigint): string => (minor === 0n ? "" : `${minor}`);
    const lines = successLines({ ...price }).map(({ account, currency, debitMinor, creditMinor }) => [
      account,
      currency,
      side(debitMinor),
      side(creditMinor),
    ]);
    expect(tableUnder(page, "| account |")).toEqual(lines);
  });

  test("is explained by its own figures", () => {
    const grouped = (minor: bigint): string => minor.toLocaleString("en");
    const { grossMinor: gross, serviceFeeMinor: fee, installmentSurchargeMinor: surcharge } = price;
    const left = grouped(gross - fee - surcharge);
    expect(page).toContain(`${grouped(gross)} − ${grouped(fee)} − ${grouped(surcharge)} = ${left}`);
    expect(price.netMinor + price.iofAmountMinor).toBe(gross - fee - surcharge);
  });
});

test("the table of a card provider's entries is what the code books", () => {
  const listed = tableUnder(page, "| kind | debit | credit | amount |");
  const plain = (cell = ""): string => cell.replaceAll("`", "");
  expect(listed).toHaveLength(6);
  for (const [kind, debited, credited] of listed) {
    const lines = providerLines(plain(kind) as ProviderEntryKind, 7n);
    expect(lines).toEqual([
      { account: plain(debited), currency: "BRL", debitMinor: 7n, creditMinor: 0n },
      { account: plain(credited), currency: "BRL", debitMinor: 0n, creditMinor: 7n },
    ]);
  }
});
