import { expect, test } from "vitest";
import { checkLedger } from "../ledger/book-keeper.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

/** Transactions of the service's database, those that were rolled back too. */
async function transactions(): Promise<number> {
  // A connection that ends is counted at once, one at rest within ten seconds.
  const others = "pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
  const ended = await rows.read(`SELECT pid, pg_terminate_backend(pid) FROM ${others}`, []);
  const pids = ended.map(({ pid }) => pid);
  await expect
    .poll(async () => await rows.count(`${others} AND pid = ANY ($1)`, [pids]), { timeout: 10_000 })
    .toBe(0);
  const [row] = await rows.read(
    "SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()",
    [],
  );
  return Number(row?.["count"]);
}

test("many refunds of one payment at once: each is answered, and the work grows with their number alone", async () => {
  const merchant = await createMerchant(service);
  const { body: payment } = await merchant.pay();
  const before = await transactions();
  const refunds = await Promise.all(
    Array.from({ length: 60 }, () => merchant.api.post(`/v1/payments/${payment.id}/refunds`, { amount: 1 })),
  );
  const made = refunds.filter(({ status }) => status === 201);
  expect(made.length).toBeGreaterThan(0);
  for (const { status, body } of refunds) {
    if (status !== 201) expect([status, body.error.code]).toEqual([503, "service_unavailable"]);
  }

  // A 503 says that we failed, not that nothing was done, nor that all is done: one under way may end between two reads.
  const refunded = async (): Promise<object> => {
    const { body: listed } = await merchant.api.get(`/v1/payments/${payment.id}/refunds?limit=100`);
    const all = listed.data as { id: string; status: string }[];
    expect(all.map(({ id }) => id)).toEqual(
      expect.arrayContaining(made.map(({ body }) => body.id as string)),
    );
    const { body } = await merchant.api.get(`/v1/payments/${payment.id}`);
    return { shown: body.refunded_amount, of: all.filter(({ status }) => status === "succeeded").length };
  };
  await expect.poll(refunded).toSatisfy(({ shown, of }: { shown: number; of: number }) => shown === of);
  expect((await checkLedger(service)).problems).toEqual([]);

  const count = (await transactions()) - before;
  expect(count).toBeGreaterThan(made.length);
  expect(count).toBeLessThan(60 * 40);
});
