import { test } from "vitest";
import { Mode } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { checkLedger } from "../../ledger/book-keeper.ts";
import { times } from "../../support/scale.ts";
import { killedAsaas } from "./killed-asaas.ts";
import { killedAt, type Outcome } from "./killed-at.ts";
import { killedPagarme } from "./killed-pagarme.ts";
import type { KilledProvider } from "./killed-provider.ts";
import type { WorkName } from "./works.ts";

const PAID: Outcome = {
  payments: ["succeeded"],
  money: 1,
  entries: ["payment"],
  events: ["payment.succeeded"],
  exceptions: 0,
  at: { paid: 1, open: 0, returned: 0 },
};
const GIVEN_BACK: Outcome = {
  ...PAID,
  entries: ["payment", "refund"],
  events: ["payment.succeeded", "refund.succeeded"],
  at: { ...PAID.at, returned: 1 },
};
const ENDED: Outcome = {
  payments: ["failed"],
  money: 0,
  entries: [],
  events: ["payment.failed"],
  exceptions: 0,
  at: { paid: 0, open: 0, returned: 0 },
};
const EXPECTED: Readonly<Record<WorkName, Outcome>> = {
  start: PAID,
  leave: PAID,
  callback: PAID,
  check: PAID,
  statement: PAID,
  end: ENDED,
  refund: GIVEN_BACK,
  refunded: GIVEN_BACK,
};

const OF_ALL = ["start", "callback", "check", "end", "refund", "refunded"] as const;
const OF_PAGES = [...OF_ALL, "leave"] as const;
// What the same code does for each page of Asaas is killed at one of them: statements always, and most in short.
const CASES: readonly (readonly [string, readonly WorkName[], () => Promise<KilledProvider>])[] = [
  [
    "on the invoice page of Asaas",
    times<readonly WorkName[]>([...OF_PAGES, "statement"], ["start", "callback", "end", "refund"]),
    async () => await killedAsaas("invoice"),
  ],
  [
    "on the checkout page of Asaas",
    times<readonly WorkName[]>(["start", "leave", "end"], ["start"]),
    async () => await killedAsaas("checkout"),
  ],
  [
    "by PIX at Asaas",
    times<readonly WorkName[]>(["start", "end", "refund"], ["start"]),
    async () => await killedAsaas("pix"),
  ],
  ["at Pagar.me", times<readonly WorkName[]>(OF_ALL, ["start", "refund"]), killedPagarme],
];

/** Takes out the attempts that failed without a charge: their payer has started again. */
function withoutAttempts(outcome: Outcome): Outcome {
  const payments = outcome.payments.filter((status) => status !== "failed");
  const events = outcome.events.filter((type) => type !== "payment.failed");
  const isEach = outcome.payments.length - payments.length === outcome.events.length - events.length;
  return isEach ? { ...outcome, payments, events } : outcome;
}

// At each step most of the time is waited, so the cases wait together.
test.for(CASES)(
  "cases 10, 13 and 14: kill -9 at every step %s never charges or gives back twice, and the books are right",
  { concurrent: true, timeout: 600_000 },
  async ([, works, start], { expect, onTestFinished }) => {
    const provider = await start();
    onTestFinished(async () => await provider.close());
    const outcomes = await killedAt(provider, works);
    for (const [step, outcome] of Object.entries(outcomes)) {
      const [work] = step.split(":") as [WorkName];
      const isStart = work === "start" || work === "leave";
      // The provider may still carry it out: it is looked for, and never asked for again.
      const isUnheard = step === `refund: before ${provider.refundCall}`;
      const expected = isUnheard ? PAID : EXPECTED[work];
      expect.soft(isStart ? withoutAttempts(outcome) : outcome, step).toEqual({
        ...expected,
        payments: work === "end" ? [provider.endedAs] : expected.payments,
      });
    }
    // Each work has a commit at least, and its end.
    expect(Object.keys(outcomes).length).toBeGreaterThanOrEqual(2 * works.length);
    expect((await checkLedger(provider.service, Mode.LIVE)).problems).toEqual([]);
  },
);
