import { expect, test } from "vitest";
import { failHalf, payMany, schedule } from "../support/load.ts";
import { createMerchant, merchantOf } from "../support/merchant.ts";
import { OF_PAYMENTS, startReceiver } from "../support/receiver.ts";
import { expectReconciled } from "../support/reconciled.ts";
import { isInFull, times } from "../support/scale.ts";
import { secondService, startService } from "../support/service.ts";

const PAYMENTS = times(1000, 150);

test(`${PAYMENTS} payments while the receiver fails half of its answers: none is missing, and every sum agrees`, async () => {
  const service = await startService("direct", { delivery: { schedule } });
  const merchant = await createMerchant(service);
  const receiver = await startReceiver();
  const answered = new Set<string>();
  failHalf(receiver, answered);
  const { secret } = await merchant.webhooks.createWebhookEndpoint(
    { url: receiver.url, eventTypes: OF_PAYMENTS },
    merchant.as,
  );
  const worker = service.core.startWorker();
  const startedMs = Date.now();
  await payMany([merchant], PAYMENTS);
  await expect.poll(() => answered.size, { timeout: 60_000 }).toBe(PAYMENTS);
  console.info(`${PAYMENTS} events in ${receiver.received.length} attempts, ${Date.now() - startedMs} ms`);
  const { count, net } = await expectReconciled(service, merchant, secret, receiver.received);
  expect(count).toBe(PAYMENTS);
  console.info(`net of webhooks = of payments = of ledger = ${net}`);
  await worker.stop();
  await receiver.close();
  await service.close();
}, 150_000);

test.runIf(isInFull())(
  "Two workers and two cores side by side send no event twice",
  async () => {
    const service = await startService();
    const second = await secondService(service);
    const merchant = await createMerchant(service);
    const receiver = await startReceiver();
    const { secret } = await merchant.webhooks.createWebhookEndpoint(
      { url: receiver.url, eventTypes: OF_PAYMENTS },
      merchant.as,
    );
    const workers = [service.core.startWorker(), second.core.startWorker()];
    const throughSecond = merchantOf(merchant.tenant, service, second);
    await payMany([merchant, throughSecond], 500);
    await receiver.until(500);
    await expectReconciled(service, merchant, secret, receiver.received);
    expect(receiver.received).toHaveLength(500);
    expect(new Set(receiver.received.map(({ eventId }) => eventId)).size).toBe(500);
    await Promise.all(workers.map((worker) => worker.stop()));
    await receiver.close();
    await second.close();
    await service.close();
  },
  60_000,
);
