import pg from "pg";
import { expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

test("a round of live mode that lasts delays no round of test mode", async () => {
  const merchant = await createMerchant(service);
  /** A payment past its time: a round that begins from now on expires it. */
  const overdue = async (): Promise<string> => {
    const payer = new Payer(service, await merchant.newLink());
    await payer.open();
    const { paymentId } = await payer.start();
    service.clock.advance(86_400);
    return paymentId;
  };
  const expectExpired = async (id: string) =>
    await expect
      .poll(async () => (await merchant.api.get(`/v1/payments/${id}`)).body.status, { timeout: 4000 })
      .toBe("expired");
  const first = await overdue();
  const other = new pg.Client({ connectionString: service.databaseUrl });
  await other.connect();
  await other.query("BEGIN; LOCK TABLE live.charge IN ACCESS EXCLUSIVE MODE");
  const worker = service.core.startWorker();
  const waiting = "pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%check_at <= $1%'";
  await expect.poll(() => rows.count(waiting)).toBeGreaterThan(0);
  await expectExpired(first);
  await expectExpired(await overdue());
  expect(await rows.count(waiting)).toBeGreaterThan(0);
  await other.query("ROLLBACK");
  await worker.stop();
  await other.end();
});
