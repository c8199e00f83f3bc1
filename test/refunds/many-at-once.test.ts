import { expect, test } from "vitest";
import { checkLedger } from "../ledger/book-keeper.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

/** Transactions of the service's database, those that were rolled back too, as soon as the server counts them. */
async function transactions(): Promise<number> {
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

  // The server counts a connection's transactions within some seconds.
  let [last, now] = [-1, await transactions()];
  await expect
    .poll(async () => ([last, now] = [now, await transactions()])[0] === now, {
      interval: 1500,
      timeout: 60_000,
    })
    .toBe(true);
  expect(last).toBeGreaterThan(before);
  expect(now - before).toBeLessThan(60 * 40);

  const { body } = await merchant.api.get(`/v1/payments/${payment.id}`);
  expect(body.refunded_amount).toBe(made.length);
  expect((await checkLedger(service)).problems).toEqual([]);
});
