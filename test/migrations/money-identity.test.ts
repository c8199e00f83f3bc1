import { expect, test } from "vitest";
import { migrate, MIGRATIONS } from "../../src/migrations/migrate.ts";
import { cloneDatabase } from "../support/database.ts";
import { DatabaseRows } from "../support/database-rows.ts";

const AT = "2026-11-20T15:00:00Z";
/** What a former release has: payments with their accounts, money with the payment that took it first, exceptions. */
const PAYMENTS = [
  ["pay_1", "pac_1"],
  ["pay_2", "pac_2"],
  ["pay_3", null],
] as const;
const FORMER = [
  ["E1", "pay_1"],
  ["E2", "pay_2"],
  ["E3", "pay_3"],
] as const;
/** Told by the second account after the first one: the former release had one identity for both. */
const EXCEPTION = ["E1", "pay_2"] as const;

const ADD = "INSERT INTO live.taken_receipt (tenant_id, method, provider_payment_id, payment_id, created_at)";

/** Returns a database as the release before left it, past the triggers and keys of other tables. */
async function formerDatabase(): Promise<DatabaseRows & { readonly url: string }> {
  const { url } = await cloneDatabase("template0");
  const isFormer = (name: string): boolean => name < "environment-0020" || name.startsWith("identity");
  await migrate(url, new Map([...MIGRATIONS].map(([schema, names]) => [schema, names.filter(isFormer)])));
  const rows = await new DatabaseRows(url).open();
  await rows.run("SET session_replication_role = replica");
  for (const [id, account] of PAYMENTS) {
    await rows.run(
      `INSERT INTO live.payment (tenant_id, id, price_id, method, status, is_single, metadata, created_at)
        VALUES ('ten_1', $1, 'prc_1', 'pix', 'succeeded', true, '{}', $2)`,
      [id, AT],
    );
    await rows.run(
      `INSERT INTO live.charge (tenant_id, payment_id, session_id, number, reference, account_id, created_at,
          expires_at, check_at, receipt_count, is_open)
        VALUES ('ten_1', $1::text, 'cs_' || $1, 1, replace($1, '_', ''), $2, $3, $3, $3, 1, false)`,
      [id, account, AT],
    );
  }
  for (const [money, id] of FORMER)
    await rows.run(`${ADD} VALUES ('ten_1', 'pix', $1, $2, $3)`, [money, id, AT]);
  await rows.run(
    `INSERT INTO live.payment_exception (tenant_id, id, provider_payment_id, payment_id, reason, amount_minor,
        expected_minor, proposed_refund_minor, received_at, created_at)
      VALUES ('ten_1', 'exc_1', $1, $2, 'duplicate', 100, 100, 0, $3, $3)`,
    [...EXCEPTION, AT],
  );
  await rows.run("RESET session_replication_role");
  return Object.assign(rows, { url });
}

test("money taken by a former release gets its account, stays append-only, and is taken once on each account", async () => {
  const rows = await formerDatabase();
  try {
    await migrate(rows.url);
    const all = async () =>
      await rows.read(
        `SELECT account_id AS account, provider_payment_id AS money, payment_id AS payment FROM live.taken_receipt
          ORDER BY money, account`,
      );
    const taken = [
      { account: "pac_1", money: "E1", payment: "pay_1" },
      { account: "pac_2", money: "E1", payment: "pay_2" },
      { account: "pac_2", money: "E2", payment: "pay_2" },
      { account: "", money: "E3", payment: "pay_3" },
    ];
    expect(await all()).toEqual(taken);
    await expect(rows.run("UPDATE live.taken_receipt SET account_id = 'pac_9'")).rejects.toThrow(
      "append-only",
    );
    await expect(rows.run("DELETE FROM live.taken_receipt")).rejects.toThrow("append-only");
    // A former release that runs beside this one names no account.
    const add = async (money: string, payment: string): Promise<void> =>
      await rows.run(`${ADD} VALUES ('ten_1', 'pix', $1, $2, $3)`, [money, payment, AT]);
    await expect(add("E1", "pay_1")).rejects.toThrow("taken_receipt_pkey");
    await expect(add("E3", "pay_3")).rejects.toThrow("taken_receipt_pkey");
    await add("E2", "pay_1");
    expect((await all()).filter(({ money }) => money === "E2")).toEqual([
      { account: "pac_1", money: "E2", payment: "pay_1" },
      taken[2],
    ]);
  } finally {
    await rows.close();
  }
});
