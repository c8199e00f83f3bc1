import type { FeeRule } from "../../src/pricing/fee-rule.ts";
import type { PriceInput } from "../../src/pricing/price.ts";

const PIX_BRL: FeeRule = {
  percentPpm: 9_900n,
  fixedMinor: 40n,
  minMinor: 100n,
  maxMinor: 15_000n,
  surchargePpm: [0n],
};
const CARD_BRL: FeeRule = {
  percentPpm: 39_900n,
  fixedMinor: 39n,
  minMinor: 100n,
  maxMinor: null,
  surchargePpm: Array.from({ length: 12 }, (_, index) => (index === 11 ? 104_900n : 0n)),
};
const PIX_USD: FeeRule = {
  percentPpm: 19_900n,
  fixedMinor: 30n,
  minMinor: 50n,
  maxMinor: 10_000n,
  surchargePpm: [0n],
};

const iof = { ppm: 35_000n, enabled: false };
export const iofOn = { ppm: 35_000n, enabled: true };
const rateMicros = 5_513_582n;

export const pixInBrl: PriceInput = {
  amountMinor: 10_000n,
  currency: "BRL",
  payoutCurrency: "BRL",
  method: "pix",
  installments: 1,
  feeHandling: "absorb",
  rule: PIX_BRL,
  rateMicros: null,
  iof,
};
export const brlToUsd: PriceInput = { ...pixInBrl, payoutCurrency: "USD", rateMicros };
export const usdToBrl: PriceInput = { ...pixInBrl, currency: "USD", rateMicros };
export const usdToUsd: PriceInput = {
  ...pixInBrl,
  currency: "USD",
  payoutCurrency: "USD",
  rule: PIX_USD,
  rateMicros,
};
export const cardIn12: PriceInput = { ...pixInBrl, method: "card", installments: 12, rule: CARD_BRL };
