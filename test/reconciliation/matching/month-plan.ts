import fc from "fast-check";
import type { Account, ContractedFee } from "../../../src/reconciliation/matching/lines.ts";

export const LAST_DAY = 12;
/** All that is due is past on the last one. */
export const days = Array.from({ length: LAST_DAY + 4 }, (_, index) => dayAt(index));

export const fees: readonly ContractedFee[] = [
  { kind: "pix", brand: null, installmentsFrom: 1, installmentsTo: 1, percentPpm: 9_900n, fixedMinor: 0n },
  { kind: "card", brand: null, installmentsFrom: 1, installmentsTo: 1, percentPpm: 39_900n, fixedMinor: 39n },
  {
    kind: "card",
    brand: null,
    installmentsFrom: 2,
    installmentsTo: 12,
    percentPpm: 49_900n,
    fixedMinor: 39n,
  },
  {
    kind: "card",
    brand: "elo",
    installmentsFrom: 1,
    installmentsTo: 12,
    percentPpm: 45_000n,
    fixedMinor: 0n,
  },
];
const PATHS = ["transfer", "settlement", "line"] as const;
export const accounts: readonly Account[] = PATHS.map((path) => ({
  id: path,
  bank: { accountId: `bank of ${path}`, path },
  fees: path === "transfer" ? fees : [],
  statedUntil: days.at(-1) ?? null,
  bankedUntil: days.at(-1) ?? null,
}));

/** By what a statement's line, and the bank's line of it, can be known. */
const STYLES = ["end-to-end", "provider", "reference", "text", "nameless"] as const;
export type Style = (typeof STYLES)[number];

const FAULTS = [
  "lost here",
  "lost there",
  "lost at the bank",
  "doubled here",
  "doubled there",
  "doubled there later",
  "doubled at the bank",
  "centavo more",
  "centavo less",
  "over midnight",
  "returned later",
  "fee changed",
  "fee lost there",
  "fee doubled there",
] as const;
export type Fault = (typeof FAULTS)[number];
const PAYOUT_FAULTS = [
  "lost there",
  "lost",
  "more",
  "less",
  "doubled",
  "doubled there",
  "over midnight",
] as const;

export type PayoutFault = (typeof PAYOUT_FAULTS)[number];

const planned = fc.record({
  path: fc.constantFrom(...PATHS),
  day: fc.nat({ max: LAST_DAY - 4 }),
  method: fc.constantFrom("pix", "card"),
  brand: fc.constantFrom("visa", "elo"),
  installments: fc.integer({ min: 1, max: 3 }),
  style: fc.constantFrom(...STYLES),
  tens: fc.integer({ min: 10, max: 15 }),
  fault: fc.option(fc.constantFrom(...FAULTS), { freq: 2, nil: null }),
  refund: fc.option(fc.record({ after: fc.nat({ max: 2 }), late: fc.nat({ max: 2 }) }), { nil: null }),
});
const plannedPayout = fc.record({
  isNamed: fc.boolean(),
  dueAfter: fc.nat({ max: 1 }),
  fault: fc.option(fc.constantFrom(...PAYOUT_FAULTS), { freq: 2, nil: null }),
});
export const plans = fc.record({
  payments: fc.array(planned, { minLength: 1, maxLength: 40, size: "max" }),
  payouts: fc.array(plannedPayout, { minLength: 2 * days.length, maxLength: 2 * days.length }),
  unknown: fc.array(
    fc.record({ path: fc.constantFrom(...PATHS), isAtBank: fc.boolean(), day: fc.nat({ max: 9 }) }),
    {
      maxLength: 3,
    },
  ),
  /** A day that is imported twice. */
  again: fc.option(fc.nat({ max: LAST_DAY }), { nil: null }),
});
export type Plan = typeof plans extends fc.Arbitrary<infer T> ? T : never;
export type Planned = Plan["payments"][number];

export function after(day: string): string {
  return Temporal.PlainDate.from(day).add({ days: 1 }).toString();
}

export function dayAt(index: number): string {
  return Temporal.PlainDate.from("2026-11-01").add({ days: index }).toString();
}
