import { beforeEach, describe, expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";
import { balancesOf, checkLedger, entriesOf } from "./book-keeper.ts";

let merchant: Merchant;
let ids: [tenantId: string, paymentId: string];
const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
beforeEach(async () => {
  merchant = await createMerchant(service);
  ids = [merchant.tenant.id, (await merchant.pay()).body.id];
});

const ENTRY = `INSERT INTO test.ledger_entry VALUES ($1, $2, 'settlement', now())`;

/** A line of the payment's entry of that kind, in an account of its own choice. */
const line = (kind: string, number: number, currency: string, debit: number, credit: number) =>
  rows.run(`INSERT INTO test.ledger_line VALUES ($1, $2, $3, $4, 'provider_clearing', $5, $6, $7)`, [
    ...ids,
    kind,
    number,
    currency,
    debit,
    credit,
  ]);

/** Does it in one transaction; the commit is the last step. */
async function inTransaction(steps: () => Promise<void>): Promise<void> {
  await rows.run("BEGIN");
  try {
    await steps();
    await rows.run("COMMIT");
  } finally {
    await rows.run("ROLLBACK");
  }
}

/** After it, the books are what they were before. */
async function expectRefused(attempt: () => Promise<void>, message: RegExp): Promise<void> {
  const before = [await entriesOf(merchant, ids[1]), await balancesOf(merchant)];
  const counts = await rows.countAll("test");
  await expect(attempt()).rejects.toThrow(message);
  expect([await entriesOf(merchant, ids[1]), await balancesOf(merchant)]).toEqual(before);
  expect(await rows.countAll("test")).toEqual(counts);
  expect((await checkLedger(service)).problems).toEqual([]);
}

describe.each(["ledger_entry", "ledger_line"])("%s", (table) => {
  const column = table === "ledger_entry" ? "booked_at" : "number";

  test.each([
    ["UPDATE", `UPDATE test.${table} SET ${column} = ${column} WHERE tenant_id = $1 AND payment_id = $2`],
    ["DELETE", `DELETE FROM test.${table} WHERE tenant_id = $1 AND payment_id = $2`],
  ])("%s of a row is refused", async (_, sql) => {
    await expectRefused(() => rows.run(sql, ids), new RegExp(`${table} is append-only`));
  });

  test.each(["test", "live"])(
    "TRUNCATE is refused in %s mode, also with what refers to it",
    async (schema) => {
      const truncate = () => rows.run(`TRUNCATE ${schema}.${table} CASCADE`);
      await expectRefused(truncate, /ledger_(entry|line) is append-only/);
    },
  );
});

describe("a line that is inserted", () => {
  test.each([
    ["one side", [[1, "BRL", 500, 0]]],
    [
      "sides that differ by 1",
      [
        [1, "BRL", 500, 0],
        [2, "BRL", 0, 499],
      ],
    ],
    [
      "sides equal in sum but not in each currency",
      [
        [1, "BRL", 500, 0],
        [2, "USD", 0, 500],
      ],
    ],
  ] as [string, [number, string, number, number][]][])(
    "into an entry with %s is refused at commit, not before",
    async (_, lines) => {
      let isWritten = false;
      const attempt = () =>
        inTransaction(async () => {
          await rows.run(ENTRY, ids);
          for (const [number, currency, debit, credit] of lines)
            await line("settlement", number, currency, debit, credit);
          isWritten = true;
        });
      await expectRefused(attempt, new RegExp(`the settlement entry of ${ids[1]} does not balance`));
      expect(isWritten).toBe(true);
    },
  );

  test("into the payment's own entry is refused when it breaks the balance", async () => {
    await expectRefused(
      () => line("payment", 9, "BRL", 1, 0),
      /the payment entry of pay_\w+ does not balance/,
    );
  });

  test("into the payment's own entry is refused after the payment, even in balance", async () => {
    const attempt = () =>
      inTransaction(async () => {
        await line("payment", 8, "BRL", 500, 0);
        await line("payment", 9, "BRL", 0, 500);
      });
    await expectRefused(attempt, /the payment entry of pay_\w+ is closed/);
  });

  test.each([
    ["both sides", 500, 500],
    ["neither side", 0, 0],
    ["a negative side", -500, 0],
    ["a negative side and a positive one", -500, 500],
  ])("with %s is refused at once", async (_, debit, credit) => {
    await expectRefused(() => line("payment", 9, "BRL", debit, credit), /violates check constraint/);
  });

  test("of an entry that does not exist is refused", async () => {
    const attempt = () =>
      inTransaction(async () => {
        await line("settlement", 1, "BRL", 500, 0);
        await line("settlement", 2, "BRL", 0, 500);
      });
    await expectRefused(attempt, /violates foreign key constraint/);
  });
});

describe("an entry that is inserted", () => {
  test("a second time for a payment and kind is refused", async () => {
    const again = `INSERT INTO test.ledger_entry VALUES ($1, $2, 'payment', now())`;
    await expectRefused(() => rows.run(again, ids), /duplicate key/);
  });

  test("of a payment that does not exist is refused", async () => {
    await expectRefused(() => rows.run(ENTRY, [ids[0], "pay_unknown"]), /violates foreign key constraint/);
  });

  test("of another kind is refused", async () => {
    const refund = `INSERT INTO test.ledger_entry VALUES ($1, $2, 'refund', now())`;
    await expectRefused(() => rows.run(refund, ids), /violates check constraint/);
  });
});
