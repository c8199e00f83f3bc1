import { describe, expect, test } from "vitest";
import { providerBridgeOf } from "../../src/ledger/bridge.ts";
import { providerLines } from "../../src/ledger/provider-postings.ts";
import type { DisputeFacts, InstallmentFacts, SettlementFacts } from "../../src/providers/card-port.ts";
import {
  disputeNews,
  keyOf,
  newFacts,
  outstandingMinor,
  paidOutMinor,
  problemOf,
  type Known,
  type NewFact,
} from "../../src/receivables/facts.ts";
import { randomFor } from "../support/seed.ts";

const PRICE = 100_003n;

function installment(number: number, changes: Partial<InstallmentFacts> = {}): InstallmentFacts {
  const grossMinor = number === 3 ? 33_335n : 33_334n;
  const { feeMinor = 900n, anticipationFeeMinor = 0n } = changes;
  return {
    installment: number,
    grossMinor,
    feeMinor,
    anticipationFeeMinor,
    netMinor: grossMinor - feeMinor - anticipationFeeMinor,
    refundedMinor: 0n,
    chargedBackMinor: 0n,
    dueOn: "2027-01-04",
    paidOn: null,
    ...changes,
  };
}
const plan = (...changes: Partial<InstallmentFacts>[]): InstallmentFacts[] =>
  [1, 2, 3].map((number) => installment(number, changes[number - 1]));

/** What is kept after facts were written. */
function kept(known: ReadonlyMap<string, Known>, facts: readonly NewFact[]): Map<string, Known> {
  const after = new Map(known);
  for (const { kind, installment: of, number, amountMinor, onDay } of facts) {
    const key = keyOf({ kind, installment: of });
    after.set(key, {
      amountMinor: (after.get(key)?.amountMinor ?? 0n) + amountMinor,
      number,
      onDay: onDay ?? null,
    });
  }
  return after;
}

describe("facts", () => {
  test("are what is new, once, and a correction is one more", () => {
    const first = newFacts(new Map(), plan());
    expect(first.map(({ kind, installment: of, amountMinor }) => [kind, of, amountMinor])).toEqual([
      ["receivable", 1, 33_334n],
      ["provider_fee", 1, 900n],
      ["receivable", 2, 33_334n],
      ["provider_fee", 2, 900n],
      ["receivable", 3, 33_335n],
      ["provider_fee", 3, 900n],
    ]);
    const known = kept(new Map(), first);
    expect(newFacts(known, plan())).toEqual([]);
    expect(newFacts(known, plan({}, { feeMinor: 880n, dueOn: "2027-01-05" }))).toEqual([
      { kind: "receivable", installment: 2, number: 2, amountMinor: 0n, onDay: "2027-01-05" },
      { kind: "provider_fee", installment: 2, number: 2, amountMinor: -20n, onDay: null },
    ]);
  });

  test("of any order of happenings book what the provider said last, in balance, and bridge it exactly", () => {
    const random = randomFor("facts of receivables");
    const upTo = (most: bigint): bigint => BigInt(random.integer(0, Number(most)));
    for (let run = 0; run < 60; run++) {
      let known: ReadonlyMap<string, Known> = new Map();
      const booked: { kind: NewFact["kind"]; lines: ReturnType<typeof providerLines> }[] = [];
      let told: InstallmentFacts[] = [];
      for (let step = 0; step < 6; step++) {
        told = plan(
          ...[1, 2, 3].map(() => ({
            feeMinor: upTo(2000n),
            anticipationFeeMinor: upTo(300n),
            refundedMinor: upTo(20_000n),
            chargedBackMinor: random.integer(0, 2) === 0 ? 33_334n : 0n,
            paidOn: random.integer(0, 1) === 0 ? "2027-01-04" : null,
          })),
        );
        expect(problemOf({ installments: told, disputes: [] }, PRICE)).toBeNull();
        const facts = newFacts(known, told);
        known = kept(known, facts);
        for (const { kind, amountMinor } of facts)
          booked.push({ kind, lines: providerLines(kind, amountMinor) });
      }
      const lines = booked.flatMap((entry) => entry.lines);
      const sumOf = (account: string): bigint =>
        lines
          .filter((line) => line.account === account)
          .reduce((sum, { debitMinor, creditMinor }) => sum + debitMinor - creditMinor, 0n);
      const total = (of: (one: InstallmentFacts) => bigint): bigint =>
        told.reduce((sum, one) => sum + of(one), 0n);
      expect(lines.reduce((sum, { debitMinor, creditMinor }) => sum + debitMinor - creditMinor, 0n)).toBe(0n);
      expect(lines.every(({ debitMinor, creditMinor }) => debitMinor > 0n !== creditMinor > 0n)).toBe(true);
      expect(sumOf("provider_balance")).toBe(total(paidOutMinor));
      expect(sumOf("provider_receivable")).toBe(total(outstandingMinor));
      const [whole, ...parts] = providerBridgeOf(booked).map(({ valueMicros }) => valueMicros);
      expect(whole).toBe(PRICE * 1_000_000n);
      expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(whole);
    }
  });

  test("of nothing are no lines of a bridge", () => {
    expect(providerBridgeOf([])).toEqual([]);
  });
});

describe("what a provider says is wrong", () => {
  const dispute: DisputeFacts = {
    id: "1",
    installment: 1,
    amountMinor: 100n,
    status: "needs_response",
    reason: null,
    openedOn: null,
    respondBy: null,
  };
  test.each<[string | null, Partial<SettlementFacts>]>([
    [null, { disputes: [dispute] }],
    ["price", { installments: plan().slice(0, 2) }],
    ["price", { installments: plan({ grossMinor: 33_335n, netMinor: 32_435n }) }],
    ["installments", { installments: plan({ installment: 2 }) }],
    ["installments", { installments: plan({ installment: 4 }) }],
    ["installments", { installments: plan({ installment: 0 }) }],
    ["amounts", { installments: plan({ netMinor: 1n }) }],
    ["amounts", { installments: plan({ feeMinor: -1n, netMinor: 33_335n }) }],
    ["amounts", { installments: plan({ chargedBackMinor: -1n }) }],
    ["disputes", { disputes: [{ ...dispute, installment: 4 }] }],
    ["disputes", { disputes: [{ ...dispute, amountMinor: 0n }] }],
    [
      "disputes",
      { disputes: Array.from({ length: 201 }, (_, index) => ({ ...dispute, id: String(index) })) },
    ],
  ])("%s", (problem, told) => {
    expect(problemOf({ installments: plan(), disputes: [], ...told }, PRICE)).toBe(problem);
  });
});

describe("the news of a dispute", () => {
  const earlier = { status: "needs_response", respondBy: "2027-01-11" } as const;
  test("are another status or deadline; a deadline that is no longer told stays", () => {
    expect(disputeNews(earlier, { ...earlier, respondBy: null })).toBeNull();
    expect(disputeNews(earlier, { status: "lost", respondBy: null })).toEqual({ ...earlier, status: "lost" });
    expect(disputeNews(earlier, { ...earlier, respondBy: "2027-01-12" })).toEqual({
      ...earlier,
      respondBy: "2027-01-12",
    });
  });
});
