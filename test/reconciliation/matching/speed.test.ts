import { expect, test } from "vitest";
import type { ContractedFee, Lines } from "../../../src/reconciliation/matching/lines.ts";
import { matchLines, type MatchInput } from "../../../src/reconciliation/matching/match.ts";
import { account, bank, NO_LINES, NOTHING_OPEN, our, their } from "./sides.ts";

const PAYMENTS = 33_000;
const PAYOUT_OF = 100;
const DAYS = 30;
const fees: ContractedFee[] = [
  {
    kind: "pix",
    brand: null,
    installmentsFrom: 1,
    installmentsTo: 1,
    percentPpm: 9_900n,
    fixedMinor: 0n,
  },
];
const days = Array.from({ length: DAYS }, (_, index) =>
  Temporal.PlainDate.from("2026-11-01").add({ days: index }).toString(),
);
const nothing: Omit<MatchInput, "lines"> = {
  accounts: [{ ...account, fees }],
  days,
  open: NOTHING_OPEN,
  earlier: NO_LINES,
  decisions: [],
  openings: [],
  stated: [],
};

/** Payments by PIX with their fees, each hundred as one payout. */
function month(isNamed: boolean): Lines {
  const ours = Array.from({ length: PAYMENTS }, (_, index) =>
    our(`payment pay_${index}`, 10_000 + (index % 700), {
      day: days[Math.floor((index * DAYS) / PAYMENTS)] ?? "",
      paymentId: `pay_${index}`,
      providerPaymentId: `ch_${index}`,
      reference: `txid_${1_000_000 + index}`,
      terms: { kind: "pix", brand: null, installments: 1 },
    }),
  );
  const theirs = ours.flatMap(({ amountMinor, day, providerPaymentId, reference }, index) => {
    const settlementId = `settlement-${Math.floor(index / PAYOUT_OF)}`;
    const values = { day, settlementId, ...(isNamed ? { providerPaymentId } : { text: `PIX ${reference}` }) };
    const fee = (amountMinor * 99n + 5_000n) / 10_000n;
    const lines = [
      their(`m${index}`, Number(amountMinor), values),
      their(`f${index}`, -Number(fee), { ...values, kind: "fee" }),
    ];
    const isLast = index % PAYOUT_OF === PAYOUT_OF - 1;
    const payout = their(`t${index}`, -1_000_000 - index, { day, settlementId, kind: "transfer" });
    return isLast ? [...lines, payout] : lines;
  });
  const banks = theirs
    .filter(({ kind }) => kind === "transfer")
    .map(({ id, amountMinor, day }) => bank(`b${id}`, -Number(amountMinor), { day }));
  return { ours, theirs, bank: banks };
}

test.each([
  ["by ids, the month at once", true, [days]],
  ["by ids, day by day", true, days.map((day) => [day])],
  ["by words of their texts, day by day", false, days.map((day) => [day])],
])("100,000 lines are matched %s within seconds", (way, isNamed, batches) => {
  const lines = month(isNamed);
  const count = lines.ours.length + lines.theirs.length + lines.bank.length;
  const byDay = {
    ours: Map.groupBy(lines.ours, ({ day }) => day),
    theirs: Map.groupBy(lines.theirs, ({ day }) => day),
    bank: Map.groupBy(lines.bank, ({ day }) => day),
  };
  let [open, matches] = [NOTHING_OPEN, 0] as [MatchInput["open"], number];
  const startMs = performance.now();
  for (const batch of batches) {
    const found = matchLines({
      ...nothing,
      days: batch,
      open,
      lines: {
        ours: batch.flatMap((day) => byDay.ours.get(day) ?? []),
        theirs: batch.flatMap((day) => byDay.theirs.get(day) ?? []),
        bank: batch.flatMap((day) => byDay.bank.get(day) ?? []),
      },
    });
    ({ open } = found);
    matches += found.matches.length;
    expect(found.differences).toEqual([]);
  }
  const ms = performance.now() - startMs;
  console.info(`${count} lines matched ${way}: ${Math.round((count / ms) * 1000)} lines a second`);
  expect(matches).toBe(2 * PAYMENTS + lines.bank.length);
  expect(open).toEqual(NOTHING_OPEN);
  expect(ms).toBeLessThan(30_000);
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
    ...nothing,
    days: ["2026-11-04"],
    lines: { ours, theirs: [...theirs, ...payouts], bank: banks },
  });
  expect(found.matches).toEqual([]);
  expect(found.differences).toHaveLength(80_000);
  expect(performance.now() - startMs).toBeLessThan(20_000);
});
