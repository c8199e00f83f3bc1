import { expect, test } from "vitest";
import type { ContractedFee } from "../../../src/reconciliation/matching/lines.ts";
import { matchLines } from "../../../src/reconciliation/matching/match.ts";
import { account, bank, NO_LINES, NOTHING_OPEN, our, their } from "./sides.ts";

const PAYMENTS = 50_000;
const PAYOUT_OF = 100;
const PER_DAY = 2_000;
const fees: ContractedFee[] = [
  { kind: "pix", brand: null, installmentsFrom: 1, installmentsTo: 1, percentPpm: 9_900n, fixedMinor: 0n },
];
const accounts = [{ ...account, fees }];

function dayOf(index: number): string {
  return Temporal.PlainDate.from("2026-11-01")
    .add({ days: Math.floor(index / PER_DAY) })
    .toString();
}

function month(isNamed: boolean) {
  const days = new Map<number, string>();
  const dayAt = (index: number): string => {
    const number = Math.floor(index / PER_DAY);
    const day = days.get(number) ?? dayOf(index);
    days.set(number, day);
    return day;
  };
  const ours = Array.from({ length: PAYMENTS }, (_, index) =>
    our(`payment pay_${index}`, 10_000 + (index % 700), {
      day: dayAt(index),
      paymentId: `pay_${index}`,
      providerPaymentId: `ch_${index}`,
      reference: `txid${index}`,
      terms: { kind: "pix", brand: null, installments: 1 },
    }),
  );
  const theirs = ours.flatMap(({ amountMinor, day, providerPaymentId }, index) => {
    const settlementId = `settlement-${Math.floor(index / PAYOUT_OF)}`;
    const values = { day, settlementId, ...(isNamed ? { providerPaymentId } : { text: `PIX txid${index}` }) };
    const fee = (amountMinor * 99n + 5_000n) / 10_000n;
    const lines = [
      their(`m${index}`, Number(amountMinor), values),
      their(`f${index}`, -Number(fee), { ...values, kind: "fee" }),
    ];
    const isLast = index % PAYOUT_OF === PAYOUT_OF - 1;
    return isLast
      ? [...lines, their(`t${index}`, -1_000_000 - index, { day, settlementId, kind: "transfer" })]
      : lines;
  });
  const banks = theirs
    .filter(({ kind }) => kind === "transfer")
    .map(({ id, amountMinor, day }) => bank(`b${id}`, -Number(amountMinor), { day }));
  return { ours, theirs, bank: banks, days: [...days.values()] };
}

test.each([
  ["ids", true],
  ["words of their texts", false],
])("150,000 lines are matched by %s within seconds", (by, isNamed) => {
  const { days, ...lines } = month(isNamed);
  const count = lines.ours.length + lines.theirs.length + lines.bank.length;
  const startMs = performance.now();
  const found = matchLines({
    accounts,
    days,
    lines,
    open: NOTHING_OPEN,
    earlier: NO_LINES,
    decisions: [],
    openings: [],
    stated: [],
  });
  const ms = performance.now() - startMs;
  console.info(`${count} lines matched by ${by}: ${Math.round((count / ms) * 1000)} lines a second`);
  expect(found.differences).toEqual([]);
  expect(found.matches).toHaveLength(2 * PAYMENTS + lines.bank.length);
  expect(ms).toBeLessThan(20_000);
});

test("lines that only differ by what no rule can tell do not take the square of their number", () => {
  const values = { reference: "static" };
  const ours = Array.from({ length: 20_000 }, (_, index) =>
    our(`payment ${index}`, 500 + (index % 3), values),
  );
  const theirs = Array.from({ length: 20_000 }, (_, index) => their(`m${index}`, 600 + (index % 3), values));
  const payouts = Array.from({ length: 20_000 }, (_, index) =>
    their(`t${index}`, -700 - index, { kind: "transfer" }),
  );
  const banks = Array.from({ length: 20_000 }, (_, index) => bank(`b${index}`, 30_700 + index));
  const startMs = performance.now();
  const found = matchLines({
    accounts,
    days: ["2026-11-04"],
    lines: { ours, theirs: [...theirs, ...payouts], bank: banks },
    open: NOTHING_OPEN,
    earlier: NO_LINES,
    decisions: [],
    openings: [],
    stated: [],
  });
  expect(found.matches).toEqual([]);
  expect(found.differences).toHaveLength(80_000);
  expect(performance.now() - startMs).toBeLessThan(20_000);
});
