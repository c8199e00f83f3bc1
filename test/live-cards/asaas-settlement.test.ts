import { describe, expect, test } from "vitest";
import { fieldsIn, type Fields } from "../../src/providers/asaas/json.ts";
import { partsOf, settlementOf } from "../../src/providers/asaas/settlement.ts";

// Amounts are in the digits of the answer: a fraction of 0.1 + 0.2 would be another centavo.
const PAYMENT = {
  id: "pay_1",
  externalReference: "pay1",
  value: "100.30",
  netValue: "96.82",
  status: "CONFIRMED",
  confirmedDate: "2026-07-14",
  clientPaymentDate: "2026-07-14",
  paymentDate: null,
  creditDate: null,
  estimatedCreditDate: "2026-08-17",
  anticipated: false,
  refunds: null,
};
const CHARGEBACK = {
  id: "cb-1",
  status: "REQUESTED",
  reason: "FRAUD",
  disputeStartDate: "2026-07-20",
  value: "100.30",
};

/** Returns an answer as it is read: texts of digits are its numbers. */
function answer(changes: object = {}): Fields {
  const json = JSON.stringify({ ...PAYMENT, ...changes }).replaceAll(/"(\d+\.\d\d)"/g, "$1");
  return fieldsIn(json) ?? {};
}

const asked: string[] = [];
const client = (rows: readonly object[] = []) => ({
  list: async (path: string, query: Readonly<Record<string, string>>): Promise<Fields[]> => {
    asked.push(`${path}?${new URLSearchParams(query).toString()}`);
    return await Promise.resolve(rows.map((row) => answer(row)));
  },
});
const first = async (changes: object, anticipations: readonly object[] = []) =>
  (await settlementOf(client(anticipations), [answer(changes)])).installments[0];

describe("an installment at Asaas", () => {
  test("has its fee and net from the digits of the answer, and the day on which it is expected", async () => {
    expect(await first({})).toEqual({
      installment: 1,
      grossMinor: 10_030n,
      feeMinor: 348n,
      anticipationFeeMinor: 0n,
      netMinor: 9682n,
      refundedMinor: 0n,
      chargedBackMinor: 0n,
      dueOn: "2026-08-17",
      paidOn: null,
    });
  });

  test("is not paid out while it is confirmed, whatever its dates, and is when it is received", async () => {
    expect(await first({ paymentDate: "2026-07-14" })).toMatchObject({ paidOn: null });
    const received = { status: "RECEIVED", creditDate: "2026-08-18" };
    expect(await first({ ...received, paymentDate: "2026-08-17" })).toMatchObject({
      dueOn: "2026-08-18",
      paidOn: "2026-08-17",
    });
    expect(await first(received)).toMatchObject({ paidOn: "2026-08-18" });
  });

  test("that went back whole before its payout costs no fee; in part it does", async () => {
    const refund = (value: string) => [{ status: "DONE", value, dateCreated: "2026-07-15 10:00:00" }];
    expect(await first({ refunds: refund("100.30") })).toMatchObject({
      feeMinor: 0n,
      refundedMinor: 10_030n,
    });
    expect(await first({ refunds: refund("100.29") })).toMatchObject({
      feeMinor: 348n,
      refundedMinor: 10_029n,
    });
    expect(await first({ refunds: [{ ...refund("5.00")[0], status: "PENDING" }] })).toMatchObject({
      refundedMinor: 0n,
    });
  });

  test.each([
    ["REQUESTED", "needs_response", 10_030n],
    ["IN_DISPUTE", "under_review", 10_030n],
    ["SOMETHING_NEW", "under_review", 10_030n],
    ["DISPUTE_LOST", "lost", 10_030n],
    ["DONE", "lost", 10_030n],
    ["REVERSED", "won", 0n],
  ])("whose contest is %s is %s", async (status, told, chargedBackMinor) => {
    const chargeback = { ...CHARGEBACK, status, deadlineToSendDisputeDocuments: "2026-07-27" };
    const { installments, disputes } = await settlementOf(client(), [answer({ chargeback })]);
    expect(installments[0]).toMatchObject({ chargedBackMinor });
    expect(disputes).toEqual([
      {
        id: "cb-1",
        installment: 1,
        amountMinor: 10_030n,
        status: told,
        reason: "FRAUD",
        openedOn: "2026-07-20",
        respondBy: "2026-07-27",
      },
    ]);
  });

  test("whose contest has a reason in words of its own is shown without it", async () => {
    const chargeback = { ...CHARGEBACK, reason: "Ana wrote that it never came" };
    const { disputes } = await settlementOf(client(), [answer({ chargeback })]);
    expect(disputes[0]).toMatchObject({ reason: null, respondBy: null });
  });

  test("says nothing while one of its plan is not paid", async () => {
    const rows = [
      answer(),
      answer({ id: "pay_2", status: "PENDING", confirmedDate: null, clientPaymentDate: null }),
    ];
    expect(await settlementOf(client(), rows)).toEqual({ installments: [], disputes: [] });
  });

  test.each([{ netValue: "x" }, { netValue: null }, { estimatedCreditDate: "soon" }])(
    "that cannot be read is a fault: %o",
    async (changes) => await expect(first(changes)).rejects.toMatchObject({ code: "unreadable" }),
  );
});

describe("an anticipation", () => {
  const credited = { payment: "pay_1", status: "CREDITED", anticipationDate: "2026-07-16", fee: "2.56" };

  test("is asked about where a payment has one, and is paid out on its day", async () => {
    asked.splice(0);
    await first({}, [credited]);
    expect(asked).toEqual([]);
    expect(await first({ anticipated: true }, [credited])).toMatchObject({
      anticipationFeeMinor: 256n,
      netMinor: 9426n,
      paidOn: "2026-07-16",
    });
    expect(asked).toEqual(["/anticipations?payment=pay_1"]);
  });

  test("that is not credited pays nothing", async () => {
    expect(await first({ anticipated: true }, [{ ...credited, status: "PENDING" }])).toMatchObject({
      anticipationFeeMinor: 0n,
      paidOn: null,
    });
  });

  test("of a whole plan is shared by its payments, to the centavo", () => {
    const payments = [33n, 33n, 34n].map((netMinor, index) => ({
      id: `pay_${index}`,
      netMinor,
      isAnticipated: true,
    }));
    const plan = { paymentId: null, feeMinor: 10n, creditedOn: "2026-07-16" };
    expect([...partsOf(payments, [plan]).values()].map(({ feeMinor }) => feeMinor)).toEqual([3n, 3n, 4n]);
  });
});
