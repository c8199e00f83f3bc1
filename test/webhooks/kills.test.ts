import { expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { failHalf, payMany, schedule } from "../support/load.ts";
import { createMerchant } from "../support/merchant.ts";
import { OF_PAYMENTS, startReceiver } from "../support/receiver.ts";
import { expectReconciled } from "../support/reconciled.ts";
import { times } from "../support/scale.ts";
import { startService, type TestService } from "../support/service.ts";
import { endProcess, startWorkerProcess } from "../support/worker.ts";

const KILLS = times(20, 2);
const PAYMENTS = times(1000, 100);

test(`kill -9 of the worker ${KILLS} times under ${PAYMENTS} payments: nothing is missing`, async () => {
  const settings = { delivery: { schedule, leaseSeconds: 2 } };
  const service = await startService("direct", settings);
  const merchant = await createMerchant(service);
  const receiver = await startReceiver();
  const answered = new Set<string>();
  failHalf(receiver, answered);
  const { secret } = await merchant.webhooks.createWebhookEndpoint(
    { url: receiver.url, eventTypes: OF_PAYMENTS },
    merchant.as,
  );
  let killedAtWork = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const paying = payMany([merchant], PAYMENTS / KILLS);
    const worker = await startWorkerProcess(service.databaseUrl, settings);
    const before = receiver.received.length;
    await receiver.until(before + 10, undefined, 10_000);
    killedAtWork += Number(await isAtWork(service));
    await endProcess(worker, "SIGKILL");
    await paying;
  }
  const last = await startWorkerProcess(service.databaseUrl, settings);
  await expect.poll(() => answered.size, { timeout: 60_000 }).toBe(PAYMENTS);
  const { count } = await expectReconciled(service, merchant, secret, receiver.received);
  expect(count).toBe(PAYMENTS);
  console.info(
    `killed ${KILLS} workers, ${killedAtWork} of them at work; ${receiver.received.length} attempts`,
  );
  expect(killedAtWork).toBeGreaterThanOrEqual(KILLS / 2);
  await endProcess(last, "SIGTERM");
  await receiver.close();
  await service.close();
}, 300_000);

/** Whether a delivery was taken, and its lease has not ended. Retries come sooner than a second. */
async function isAtWork({ databaseUrl }: TestService): Promise<boolean> {
  const rows = await new DatabaseRows(databaseUrl).open();
  const count = await rows.count("test.webhook_delivery WHERE next_attempt_at > now() + interval '1 second'");
  await rows.close();
  return count > 0;
}
