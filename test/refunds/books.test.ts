import { createClient } from "@connectrpc/connect";
import { afterEach, describe, expect, test } from "vitest";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { balancesOf, checkLedger, entriesOf, kindsOf } from "../ledger/book-keeper.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

const bearing = async (merchant: Merchant, refundFee: "merchant" | "service") =>
  await createClient(IdentityService, service.core.transport).updateTenant(
    { tenantId: merchant.tenant.id, refundFee },
    service.internal,
  );
const refund = async (merchant: Merchant, id: string, body: object = {}) =>
  (await merchant.api.post(`/v1/payments/${id}/refunds`, body)).body;
const problemsOf = async ({ tenant }: Merchant) =>
  (await checkLedger(service)).problems.filter(({ tenantId }) => tenantId === tenant.id);

/** Debits less credits of each account where they differ; what is payable and what is available are one. */
async function standing(merchant: Merchant): Promise<Record<string, bigint>> {
  const sums: Record<string, bigint> = {};
  for (const [name, [debit, credit]] of Object.entries(await balancesOf(merchant))) {
    const account = name.replace("merchant_payable", "merchant_available");
    sums[account] = (sums[account] ?? 0n) + debit - credit;
  }
  return Object.fromEntries(Object.entries(sums).filter(([, minor]) => minor !== 0n));
}

test("a refund of an earlier payment has the rule that is in force when it is asked for, and keeps it", async () => {
  const merchant = await createMerchant(service);
  const { body: payment } = await merchant.pay();
  const rules = async () =>
    await rows.read(
      "SELECT fee_rule FROM test.refund WHERE payment_id = $1 ORDER BY created_at, amount_minor",
      [payment.id],
    );
  await refund(merchant, payment.id, { amount: 100 });
  const entries = await entriesOf(merchant, payment.id);
  await bearing(merchant, "service");
  expect(await entriesOf(merchant, payment.id)).toEqual(entries);
  await refund(merchant, payment.id, { amount: 200 });
  expect(await rules()).toEqual([{ fee_rule: "merchant" }, { fee_rule: "service" }]);
});

describe.each([
  ["BRL", "BRL"],
  ["BRL", "USD"],
  ["USD", "BRL"],
  ["USD", "USD"],
] as const)("a payment in %s, paid out in %s", (currency, payoutCurrency) => {
  test.each(["merchant", "service"] as const)(
    "that is given back in parts while the %s bears the fee is booked as the check has it",
    async (refundFee) => {
      const merchant = await createMerchant(service, { payoutCurrency });
      await bearing(merchant, refundFee);
      const simulated = { payment_method: "card" };
      const { body: payment } = await merchant.pay({ amount: 10_007, currency }, simulated);
      for (const amount of [1, 333, 2000, 7]) {
        expect(await refund(merchant, payment.id, { amount })).toMatchObject({ status: "succeeded" });
        expect(await problemsOf(merchant)).toEqual([]);
      }
      await refund(merchant, payment.id);
      expect(await problemsOf(merchant)).toEqual([]);
      expect((await kindsOf(merchant, payment.id)).filter((kind) => kind === "refund")).toHaveLength(5);
      const bridge = await merchant.ledger.getPaymentBridge({ paymentId: payment.id }, merchant.as);
      const [refunded, ...parts] = bridge.refundLines.map(({ valueBrl }) =>
        BigInt(valueBrl.replace(".", "")),
      );
      expect(refunded).toBe(BigInt(payment.gross_amount) * 1_000_000n);
      expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(refunded);
      const left = await standing(merchant);
      for (const currencyOf of ["BRL", "USD"]) {
        const own = Object.entries(left).filter(([name]) => name.endsWith(`:${currencyOf}`));
        expect(own.reduce((sum, [, minor]) => sum + minor, 0n)).toBe(0n);
      }
      expect(left).not.toHaveProperty("provider_clearing:BRL");
      if (refundFee === "service") expect(left).toEqual({});
      else expect(Object.keys(left)).toContain(`merchant_available:${payoutCurrency}`);
    },
  );
});

test("a rule that changes is in force for refunds that are made from then on", async () => {
  const merchant = await createMerchant(service);
  const { id } = (await merchant.pay()).body;
  await refund(merchant, id, { amount: 5000 });
  await bearing(merchant, "service");
  const accountsOf = async () =>
    (await entriesOf(merchant, id)).slice(1).map(({ lines }) => lines.map(({ account }) => account));
  await refund(merchant, id, { amount: 5000 });
  expect(await accountsOf()).toEqual([
    ["provider_clearing", "merchant_available"],
    ["provider_clearing", "revenue.service", "merchant_available"],
  ]);
  expect(await problemsOf(merchant)).toEqual([]);
});

describe("the check of the books finds", () => {
  const tampered = async (sql: (id: string) => string): Promise<{ codes: string[]; details: string }> => {
    const merchant = await createMerchant(service);
    const { id } = (await merchant.pay()).body;
    await refund(merchant, id, { amount: 5000 });
    await refund(merchant, id, { amount: 300 });
    expect(await problemsOf(merchant)).toEqual([]);
    await rows.run("SET session_replication_role = replica");
    await rows.run(sql(id));
    const problems = await problemsOf(merchant);
    return {
      codes: [...new Set(problems.map(({ code }) => code))].toSorted(),
      details: problems.map(({ detail }) => detail).join("; "),
    };
  };
  afterEach(async () => await rows.run("SET session_replication_role = DEFAULT"));

  test.each<[string, string[], (id: string) => string]>([
    [
      "a refund that is not in the books",
      ["missing_entry", "wrong_amount"],
      (id) => `WITH gone AS (DELETE FROM test.ledger_line WHERE payment_id = '${id}' AND kind = 'refund')
        DELETE FROM test.ledger_entry WHERE payment_id = '${id}' AND kind = 'refund'`,
    ],
    [
      "an entry without its refund",
      ["unexpected_entry", "wrong_amount", "wrong_refunded_amount"],
      (id) => `UPDATE test.refund SET status = 'failed', before_minor = NULL WHERE payment_id = '${id}'`,
    ],
    [
      "an entry that differs, in balance",
      ["wrong_amount"],
      (id) => `UPDATE test.ledger_line SET debit_minor = debit_minor * 2, credit_minor = credit_minor * 2
        WHERE payment_id = '${id}' AND kind = 'refund'`,
    ],
    [
      "an amount on the payment that is not what went back",
      ["wrong_refunded_amount"],
      (id) => `UPDATE test.payment SET refunded_minor = 5299 WHERE id = '${id}'`,
    ],
    [
      "an amount that is held for no refund",
      ["wrong_refunded_amount"],
      (id) => `UPDATE test.payment SET refund_reserved_minor = 5301 WHERE id = '${id}'`,
    ],
    [
      "a refund that was booked as another part of the payment",
      ["wrong_refunded_amount"],
      (id) => `UPDATE test.refund SET before_minor = 5001 WHERE payment_id = '${id}' AND amount_minor = 300`,
    ],
  ])("%s", async (_, codes, sql) => {
    const found = await tampered(sql);
    expect(found.codes).toEqual(codes);
    expect(found.details).not.toBe("");
  });
});

test("a settlement after a refund moves the whole net, and the books stay clean", async () => {
  const merchant = await createMerchant(service);
  const { id } = (await merchant.pay()).body;
  await refund(merchant, id, { amount: 15_990 });
  service.clock.advance(10 * 86_400);
  await service.core.tasks.settle();
  expect(await kindsOf(merchant, id)).toEqual(["payment", "refund", "settlement"]);
  expect(await standing(merchant)).toEqual({ "merchant_available:BRL": 198n, "revenue.service:BRL": -198n });
  expect(await problemsOf(merchant)).toEqual([]);
});
