import { expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { OF_PAYMENTS, startReceiver } from "../support/receiver.ts";
import { startService } from "../support/service.ts";

// Each makes more than the connections of a pool: a receiver has eight attempts at a time.
const [PAYMENTS, RECEIVERS] = [24, 3];
const SALE = { amount: 15_990, currency: "BRL", payment_method: "pix" };
const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const [busy, other] = [await createMerchant(service), await createMerchant(service)];
const receiver = await forFile(startReceiver());
for (let index = 0; index < RECEIVERS; index++) {
  await busy.webhooks.createWebhookEndpoint({ url: receiver.url, eventTypes: OF_PAYMENTS }, busy.as);
}
const link = await busy.newLink({ campaign: true });

test("Very many payments of one tenant with webhooks leave connections to another tenant", async () => {
  const paid = await whileLocked("test.webhook_delivery", () =>
    Array.from({ length: PAYMENTS }, async () => await busy.simulate(link)),
  );
  expect(paid.map(({ status }) => status)).toEqual(Array.from({ length: PAYMENTS }, () => 200));
});

test("So do the attempts of very many webhooks of one tenant, and all are made", async () => {
  const worker = service.core.startWorker();
  await whileLocked("test.webhook_attempt", () => []);
  await receiver.until(PAYMENTS * RECEIVERS);
  const isDone = async () => await rows.count("test.webhook_delivery WHERE status = 'succeeded'");
  await expect.poll(isDone).toBe(PAYMENTS * RECEIVERS);
  await worker.stop();
});

/** Returns what was asked for while what it writes to was locked, and another tenant got a quote. */
async function whileLocked<Answer>(table: string, ask: () => Promise<Answer>[]): Promise<Answer[]> {
  await rows.run(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
  const asked = ask();
  try {
    await expect.poll(async () => await rows.count("pg_locks WHERE NOT granted")).toBeGreaterThan(2);
    expect((await other.api.post("/v1/quotes", SALE)).status).toBe(201);
  } finally {
    await rows.run("ROLLBACK");
  }
  return await Promise.all(asked);
}
