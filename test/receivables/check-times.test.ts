import { describe, expect, test } from "vitest";
import type { DisputeFacts, InstallmentFacts } from "../../src/providers/card-port.ts";
import { ProviderFault } from "../../src/providers/provider-fault.ts";
import { checkAfterFault, nextCheck } from "../../src/receivables/check-times.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
const PAID = new Date("2026-07-14T15:00:00Z");
const at = (seconds: number): Date => new Date(PAID.getTime() + seconds * 1000);
// Noon of São Paulo.
const NOON = new Date("2026-08-17T15:00:00Z");

const installment = (changes: Partial<InstallmentFacts> = {}): InstallmentFacts => ({
  installment: 1,
  grossMinor: 1000n,
  feeMinor: 30n,
  anticipationFeeMinor: 0n,
  netMinor: 970n,
  refundedMinor: 0n,
  chargedBackMinor: 0n,
  dueOn: "2026-08-17",
  paidOn: null,
  ...changes,
});
const PAID_OUT = { paidOn: "2026-08-17" };

function secondsTo(
  facts: { installments?: InstallmentFacts[]; status?: DisputeFacts["status"] },
  now: Date,
): number | null {
  const { installments = [], status } = facts;
  const dispute = { id: "1", installment: 1, amountMinor: 1n, reason: null, openedOn: null, respondBy: null };
  const disputes = status === undefined ? [] : [{ ...dispute, status }];
  const next = nextCheck({ installments, disputes }, PAID, now);
  return next && (next.getTime() - now.getTime()) / 1000;
}

describe("a provider is asked about money again", () => {
  test.each<[string, InstallmentFacts, Date, number | null]>([
    ["after a week where its day is later", installment(), PAID, 7 * DAY],
    ["at noon of its day", installment(), new Date(NOON.getTime() - 5000), 5],
    ["after six hours when it is due", installment(), NOON, 6 * HOUR],
    ["once a day when it is a week late", installment(), new Date(NOON.getTime() + 8 * DAY * 1000), DAY],
    ["no more when it is 181 days late", installment(), new Date(NOON.getTime() + 181 * DAY * 1000), null],
    ["once a day where no day is named", installment({ dueOn: null }), PAID, DAY],
    ["never when it is paid out", installment(PAID_OUT), NOON, null],
    [
      "never when it went back whole",
      installment({ feeMinor: 0n, netMinor: 1000n, refundedMinor: 1000n }),
      PAID,
      null,
    ],
  ])("%s", (_, one, now, seconds) => {
    expect(secondsTo({ installments: [one] }, now)).toBe(seconds);
  });

  test("once a day when it is paid out, and whether it is contested could not be read", () => {
    const next = nextCheck(
      { installments: [installment(PAID_OUT)], disputes: [], isIncomplete: true },
      PAID,
      NOON,
    );
    expect(next).toEqual(new Date(NOON.getTime() + DAY * 1000));
  });

  test("on the first day that is still to come, of several", () => {
    const installments = [installment(PAID_OUT), installment({ installment: 2, dueOn: "2026-09-16" })];
    expect(secondsTo({ installments }, new Date("2026-09-15T15:00:00Z"))).toBe(DAY);
  });

  test("once a day while a contest is open, and no more when it is decided", () => {
    const installments = [installment(PAID_OUT)];
    for (const status of ["needs_response", "under_review"] as const) {
      expect(secondsTo({ installments, status }, NOON)).toBe(DAY);
    }
    for (const status of ["won", "lost"] as const)
      expect(secondsTo({ installments, status }, NOON)).toBeNull();
  });

  test("less and less often while it says nothing, for 30 days", () => {
    expect(secondsTo({}, at(0))).toBe(15 * 60);
    expect(secondsTo({}, at(10 * HOUR))).toBe(5 * HOUR);
    expect(secondsTo({}, at(5 * DAY))).toBe(DAY);
    expect(secondsTo({}, at(30 * DAY + 1))).toBeNull();
  });
});

describe("a provider that fails is asked about money again", () => {
  test.each<[string, unknown, number | null]>([
    ["after six hours where it takes no key", new ProviderFault("misconfigured", "no"), 6 * HOUR],
    ["after six hours where it refuses", new ProviderFault("refused", "no"), 6 * HOUR],
    ["when it says so", new ProviderFault("busy", "wait", { retryAfterSeconds: HOUR }), HOUR],
    ["not before the lease ends", new ProviderFault("busy", "wait", { retryAfterSeconds: 1 }), 15 * 60],
    ["at the end of the lease where its answer is lost", new ProviderFault("unknown", "?"), null],
    ["at the end of the lease after a fault of ours", new Error("?"), null],
  ])("%s", (_, error, seconds) => {
    const next = checkAfterFault(error, PAID);
    expect(next && (next.getTime() - PAID.getTime()) / 1000).toBe(seconds);
  });
});
