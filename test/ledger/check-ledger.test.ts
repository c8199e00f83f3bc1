import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import type { LedgerProblem } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { dayOf, isBusinessDay } from "../../src/platform/time/business-days.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";
import { forFile } from "../support/for-file.ts";
import { checkLedger } from "./book-keeper.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
// Triggers and foreign keys do not hold for this session: it does what nothing else can.
await rows.run("SET session_replication_role = replica");

let merchant: Merchant;
let tenantId: string;
let paymentId: string;
beforeEach(async () => {
  merchant = await createMerchant(service, { settlementDays: 1 });
  tenantId = merchant.tenant.id;
  paymentId = (await merchant.pay()).body.id;
});
// What was tampered with is not to be met by the settling of a later test.
afterEach(async () => await rows.run("DELETE FROM test.settlement WHERE tenant_id = $1", [tenantId]));

/** What the check says of the merchant of this test; what earlier tests did stays found. */
async function foundNow({ tenant } = merchant, mode?: Mode): Promise<LedgerProblem[]> {
  const { problems } = await checkLedger(service, mode);
  return problems.filter((found) => found.tenantId === tenant.id);
}

const problem = (code: string, detail: RegExp, of = paymentId, { tenant } = merchant): unknown =>
  expect.objectContaining({
    code,
    tenantId: tenant.id,
    paymentId: of,
    detail: expect.stringMatching(detail),
  });

const OF_IT = "tenant_id = $1 AND payment_id = $2";
const tamper = (sql: string): Promise<void> => rows.run(sql, [tenantId, paymentId]);

/** Settles the payment of this test, and whatever else is due by then. */
async function settle(): Promise<void> {
  service.clock.advance(10 * 86_400);
  await service.core.tasks.settle();
  expect(
    await rows.count(`test.settlement WHERE ${OF_IT} AND settled_at IS NOT NULL`, [tenantId, paymentId]),
  ).toBe(1);
}

const move = (kind: string, account: string, side: "debit" | "credit", by: number): Promise<void> =>
  tamper(`UPDATE test.ledger_line SET ${side}_minor = ${side}_minor + ${by}
    WHERE ${OF_IT} AND kind = '${kind}' AND account = '${account}'`);

/** Books of the payment something that balances by itself. */
async function bookMore(kind: string, of: string, table = "test"): Promise<void> {
  const values = [tenantId, of, kind];
  await rows.run(`INSERT INTO ${table}.ledger_entry VALUES ($1, $2, $3, now())`, values);
  await rows.run(
    `INSERT INTO ${table}.ledger_line VALUES ($1, $2, $3, 1, 'merchant_payable', 'BRL', 7, 0),
      ($1, $2, $3, 2, 'merchant_available', 'BRL', 0, 7)`,
    values,
  );
}

describe("clean books", () => {
  test("nothing is found of a payment that was booked, or settled", async () => {
    expect(await foundNow()).toEqual([]);
    await settle();
    expect(await foundNow()).toEqual([]);
  });

  test("nothing is found while payments come in and are settled", async () => {
    const busy = await createMerchant(service, { settlementDays: 0 });
    while (!isBusinessDay(dayOf(new Date(service.clock.nowMs())), new Map())) service.clock.advance(86_400);
    const payments = Promise.all(Array.from({ length: 60 }, () => busy.pay()));
    const checks = Array.from({ length: 10 }, async () => {
      await service.core.tasks.settle();
      return await foundNow(busy);
    });
    expect((await Promise.all(checks)).flat()).toEqual([]);
    await payments;
    await service.core.tasks.settle();
    expect(await foundNow(busy)).toEqual([]);
    const settled = "test.ledger_entry WHERE kind = 'settlement' AND tenant_id = $1";
    expect(await rows.count(settled, [busy.tenant.id])).toBe(60);
  });
});

describe("unbalanced_entry", () => {
  test("a line that was changed", async () => {
    await move("payment", "revenue.service", "credit", 1);
    expect(await foundNow()).toContainEqual(
      problem("unbalanced_entry", /^payment: BRL debits 15990, credits 15991$/),
    );
  });

  test("a line that was deleted, in a settlement", async () => {
    await settle();
    await tamper(`DELETE FROM test.ledger_line WHERE ${OF_IT} AND kind = 'settlement' AND number = 2`);
    expect(await foundNow()).toContainEqual(
      problem("unbalanced_entry", /^settlement: BRL debits 15792, credits 0$/),
    );
  });

  test("currencies that make up for each other", async () => {
    await tamper(
      `UPDATE test.ledger_line SET currency = 'USD' WHERE ${OF_IT} AND account = 'revenue.service'`,
    );
    expect((await foundNow()).map(({ code }) => code)).toEqual([
      "unbalanced_entry",
      "unbalanced_entry",
      "wrong_amount",
    ]);
  });

  test("an entry without lines", async () => {
    await tamper(`DELETE FROM test.ledger_line WHERE ${OF_IT}`);
    expect(await foundNow()).toContainEqual(problem("unbalanced_entry", /^payment: no lines$/));
  });
});

describe("missing_entry", () => {
  test("a payment that succeeded and is not in the books", async () => {
    for (const table of ["line", "entry"]) await tamper(`DELETE FROM test.ledger_${table} WHERE ${OF_IT}`);
    expect(await foundNow()).toEqual([problem("missing_entry", /succeeded/)]);
  });

  test("lines that have no entry any more", async () => {
    await tamper(`DELETE FROM test.ledger_entry WHERE ${OF_IT}`);
    expect(await foundNow()).toContainEqual(problem("missing_entry", /succeeded/));
  });

  test("a failed payment whose status became succeeded", async () => {
    const { body: failed } = await merchant.pay({}, { outcome: "failed" });
    await rows.run("UPDATE test.payment SET status = 'succeeded', failure_code = NULL WHERE id = $1", [
      failed.id,
    ]);
    expect(await foundNow()).toContainEqual(problem("missing_entry", /succeeded/, failed.id));
  });

  test("a settlement that the books do not show", async () => {
    await tamper(`UPDATE test.settlement SET settled_at = now() WHERE ${OF_IT}`);
    expect(await foundNow()).toEqual([problem("missing_entry", /settled/)]);
  });
});

describe("unexpected_entry", () => {
  test.each(["failed", "expired"])("of a payment that is %s", async (outcome) => {
    const { body: payment } = await merchant.pay({}, { outcome });
    await bookMore("payment", payment.id);
    expect(await foundNow()).toContainEqual(problem("unexpected_entry", new RegExp(outcome), payment.id));
  });

  test("of a payment that does not exist", async () => {
    await bookMore("payment", "pay_unknown");
    expect(await foundNow()).toEqual([problem("unexpected_entry", /unknown/, "pay_unknown")]);
  });

  test("of a settlement before it is due", async () => {
    await bookMore("settlement", paymentId);
    expect(await foundNow()).toContainEqual(problem("unexpected_entry", /settled in the books alone/));
  });

  test("in live mode: found there and not in test mode", async () => {
    await bookMore("payment", "pay_unknown", "live");
    expect(await foundNow()).toEqual([]);
    expect(await foundNow(merchant, Mode.LIVE)).toEqual([
      problem("unexpected_entry", /unknown/, "pay_unknown"),
    ]);
  });
});

test("missing_settlement: a payment that would never be settled, beside one that will", async () => {
  await merchant.pay();
  await tamper(`DELETE FROM test.settlement WHERE ${OF_IT}`);
  expect(await foundNow()).toEqual([problem("missing_settlement", /not to be settled/)]);
});

describe("wrong_amount", () => {
  const wrong = (detail: string) => problem("wrong_amount", new RegExp(`^${detail}$`));

  test("a gross that is not the price's, in an entry that balances", async () => {
    await move("payment", "provider_clearing", "debit", 10);
    await move("payment", "revenue.service", "credit", 10);
    expect(await foundNow()).toEqual([
      wrong(
        "payment: provider_clearing BRL is 16000, priced 15990; revenue.service BRL is -208, priced -198",
      ),
    ]);
  });

  test("a net that is not the price's, in an entry that balances", async () => {
    await move("payment", "merchant_payable", "credit", -10);
    await move("payment", "revenue.service", "credit", 10);
    expect(await foundNow()).toEqual([
      wrong(
        "payment: merchant_payable BRL is -15782, priced -15792; revenue.service BRL is -208, priced -198",
      ),
    ]);
  });

  test("a price that was changed after it was booked", async () => {
    await tamper(`UPDATE test.price SET receiver_net_minor = 1 WHERE tenant_id = $1
      AND id = (SELECT price_id FROM test.payment WHERE tenant_id = $1 AND id = $2)`);
    expect(await foundNow()).toEqual([wrong("payment: merchant_payable BRL is -15792, priced -1")]);
  });

  test("a net in another currency than the payout's, in an entry that balances", async () => {
    const inUsd = await createMerchant(service, { payoutCurrency: "USD" });
    const { body: payment } = await inUsd.pay();
    await rows.run(
      `UPDATE test.ledger_line SET currency = 'BRL' WHERE payment_id = $1 AND currency = 'USD'`,
      [payment.id],
    );
    expect(await foundNow(inUsd)).toContainEqual(problem("wrong_amount", /./, payment.id, inUsd));
  });

  test("a fee in another account than its own, in an entry that balances", async () => {
    await tamper(`UPDATE test.ledger_line SET account = 'tax_payable.iof' WHERE ${OF_IT}
      AND account = 'revenue.service'`);
    expect(await foundNow()).toContainEqual(problem("wrong_amount", /./));
  });

  test("a settlement of less than the net, in an entry that balances", async () => {
    await settle();
    await move("settlement", "merchant_payable", "debit", -10);
    await move("settlement", "merchant_available", "credit", -10);
    expect(await foundNow()).toContainEqual(problem("wrong_amount", /./));
  });
});

describe("second_entry", () => {
  beforeAll(
    async () => await rows.run("ALTER TABLE test.ledger_entry DROP CONSTRAINT ledger_entry_pkey CASCADE"),
  );

  test.each(["payment", "settlement"])(
    "two of kind %s, where the database no longer refuses it",
    async (kind) => {
      await settle();
      await tamper(`INSERT INTO test.ledger_entry VALUES ($1, $2, '${kind}', now())`);
      expect(await foundNow()).toContainEqual(
        problem("second_entry", new RegExp(`^2 entries of kind ${kind}$`)),
      );
    },
  );
});
