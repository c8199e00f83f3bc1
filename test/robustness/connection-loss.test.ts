import { expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { createMerchant } from "../support/merchant.ts";
import { OF_PAYMENTS, startReceiver } from "../support/receiver.ts";
import { expectReconciled } from "../support/reconciled.ts";
import { times } from "../support/scale.ts";
import { startService } from "../support/service.ts";

const PAYMENTS = times(400, 160);
const CLIENTS = 8;
const CUTS = times(10, 4);

test(`the database cuts every connection ${CUTS} times under load: each payment is made and sent as an event, the books balance`, async () => {
  const service = await startService();
  const merchant = await createMerchant(service);
  const receiver = await startReceiver();
  const { secret } = await merchant.webhooks.createWebhookEndpoint(
    { url: receiver.url, eventTypes: OF_PAYMENTS },
    merchant.as,
  );
  const worker = service.core.startWorker();
  const link = await merchant.newLink({ campaign: true });
  const path = `/v1/payment_links/${link}/simulate_payment`;

  let [next, refused, paid] = [0, 0, 0];
  const client = async (): Promise<void> => {
    while (next < PAYMENTS) {
      const idempotencyKey = `payment-${next++}`;
      // A merchant asks again under the same key until it knows.
      for (;;) {
        const { status } = await merchant.api.post(path, { outcome: "succeeded" }, { idempotencyKey });
        if (status === 200) break;
        expect(status).toBe(503);
        refused++;
      }
      paid++;
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  for (let cut = 1; cut <= CUTS; cut++) {
    await expect
      .poll(() => paid, { timeout: 20_000, interval: 5 })
      .toBeGreaterThan((PAYMENTS / (CUTS + 1)) * cut);
    const rows = await new DatabaseRows(service.databaseUrl).open();
    await rows.count(
      "(SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()) cut",
    );
    await rows.close();
  }
  await clients;
  await expect
    .poll(() => new Set(receiver.received.map(({ eventId }) => eventId)).size, { timeout: 60_000 })
    .toBe(PAYMENTS);
  const { count } = await expectReconciled(service, merchant, secret, receiver.received);
  expect(count).toBe(PAYMENTS);
  console.info(
    `${refused} answers of 503; ${service.faults.length} faults logged; ${receiver.received.length} attempts`,
  );
  service.faults.length = 0;
  await worker.stop();
  await receiver.close();
  await service.close();
}, 120_000);
