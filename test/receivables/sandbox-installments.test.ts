import { dayAt } from "../../contract/day.ts";
import { describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { problemOf } from "../../src/receivables/facts.ts";
import { sandboxInstallments } from "../../src/providers/sandbox/installments.ts";
import { RefundScene } from "../refunds/scene.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { textOf } from "../support/page-text.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";

const DAY_SECONDS = 86_400;
const PAID_AT = new Date("2026-11-03T15:00:00Z");

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

describe("the sandbox's installments", () => {
  const of = (
    amountMinor: bigint,
    installments: number,
    refundedMinor = 0n,
    feeMinor: bigint | null = null,
  ) => {
    const charge = {
      tenantId: "ten_1",
      reference: "r",
      amountMinor,
      installments,
      feeMinor,
      status: "paid" as const,
      reason: null,
      challengeUrl: null,
      paidAt: PAID_AT,
      aftermath: null,
      aftermathAt: null,
      answersAt: null,
      createdAt: PAID_AT,
    };
    return sandboxInstallments(charge, refundedMinor, Temporal.PlainDate.from("2026-12-15"));
  };

  test.each([
    [10_000n, 3, 0n, null],
    [1n, 1, 1n, null],
    [100n, 21, 37n, 20n],
    [9_999_999_999_99n, 12, 9_999_999_999_99n, null],
  ])(
    "of %s in %i, with %s refunded and the fee %s, are what any provider may say",
    (amount, count, refunded, fee) => {
      const installments = of(amount, count, refunded, fee);
      expect(problemOf({ installments, disputes: [] }, amount)).toBeNull();
      expect(installments.reduce((sum, { refundedMinor }) => sum + refundedMinor, 0n)).toBe(refunded);
    },
  );

  test("are due a month apart on business days, and paid out on their days", () => {
    expect(of(300n, 3).map(({ dueOn, paidOn }) => [dueOn, paidOn])).toEqual([
      ["2026-12-03", "2026-12-03"],
      ["2027-01-04", null],
      ["2027-02-01", null],
    ]);
  });
});

test("a card in test mode has its receivables by installment, its payouts and its refunds in books and pages", async () => {
  const merchant = await createMerchant(service);
  const scene = new RefundScene(service, merchant, rows);
  // A session ends as weeks go by.
  const pageAt = async (path: string) => {
    const viewer = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "viewer"));
    return textOf((await viewer.get(`/console/test/payments/${path}?lang=pt-BR`)).body);
  };
  const payer = new Payer(service, await merchant.newLink({ amount: 90_000 }));
  await payer.open();
  const { paymentId } = await payer.card("tok_approved", 3);
  const { gross_amount: gross } = await scene.paymentOf(paymentId);
  const read = async () => {
    await service.core.tasks.readReceivables();
    return (await merchant.ledger.listReceivables({ paymentId }, merchant.as)).receivables;
  };
  const found = await read();
  expect(found.map(({ installment }) => installment)).toEqual([1, 2, 3]);
  expect(found.reduce((sum, one) => sum + one.gross, 0n)).toBe(BigInt(gross));
  expect(found.every(({ payout, outstanding }) => payout === 0n && outstanding > 0n)).toBe(true);
  const days = new Intl.DateTimeFormat("pt-BR", { day: "2-digit", month: "2-digit" });
  const [first, last] = [0, 2].map((index) => days.format(new Date(`${found[index]?.expectedOn}T12:00:00Z`)));
  const story = await pageAt(paymentId);
  const owed = (Number(gross) / 100).toLocaleString("pt-BR", { minimumFractionDigits: 2 });
  // The net counts as available on its own day; what the provider is still to pay is the installments' own sum.
  expect(story).toContain("Liquidação prevista");
  expect(story).toMatch(
    new RegExp(`${first}\\S* a ${last}\\S* Parcelas que o provedor ainda vai repassar R\\$\\s${owed}`),
  );
  for (let week = 0; week < 5; week++) {
    service.clock.advance(7 * DAY_SECONDS);
    await service.core.tasks.readReceivables();
  }
  const later = await read();
  expect(later.map(({ paidOutOn }) => paidOutOn === undefined)).toEqual([false, true, true]);
  const { bridges } = await merchant.ledger.getBalanceBridge({}, merchant.as);
  expect(bridges[0]).toMatchObject({
    paidOut: later[0]?.gross,
    outstanding: (later[1]?.gross ?? 0n) + (later[2]?.gross ?? 0n),
  });
  const today = dayAt(service.clock.nowMs()).toString();
  const { expected } = await merchant.ledger.summarizeReceivables({ from: today, to: today }, merchant.as);
  expect(expected.map(({ month, amount }) => [month, amount])).toEqual(
    later.slice(1).map(({ expectedOn, outstanding }) => [expectedOn?.slice(0, 7), outstanding]),
  );
  expect(await pageAt("balance")).toContain("Parcelas de cartão ainda a repassar, mês a mês");
  await scene.refund(paymentId, { amount: 100 });
  for (let week = 0; week < 2; week++) {
    service.clock.advance(7 * DAY_SECONDS);
    await service.core.tasks.readReceivables();
  }
  expect((await read())[2]).toMatchObject({ refundDeduction: 100n });
  const page = await pageAt(paymentId);
  expect(page).toContain("Parcela por parcela");
  expect(await pageAt("balance")).toContain("Repassado");
  expect((await merchant.ledger.checkLedger({ mode: Mode.TEST }, service.internal)).problems).toEqual([]);
});
