import { expect, test } from "vitest";
import { DeliveryStatus } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { OF_PAYMENTS, startReceiver } from "../support/receiver.ts";
import { startService } from "../support/service.ts";
import { status } from "./subscribed.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

test("an attempt that a worker of the former release has overtaken is logged, and changes nothing", async () => {
  const merchant = await createMerchant(service);
  const receiver = await forFile(startReceiver());
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  receiver.answer((received, response) => {
    void released.then(() => status(500)(received, response));
  });
  await merchant.webhooks.createWebhookEndpoint({ url: receiver.url, eventTypes: OF_PAYMENTS }, merchant.as);
  await merchant.pay();
  const worker = service.core.startWorker();
  await receiver.until(1);
  // It knows of no lease: its own attempt succeeds first.
  await rows.run(
    `INSERT INTO test.webhook_attempt (tenant_id, delivery_id, number, started_at, latency_ms, status_code, response_body)
      SELECT tenant_id, id, 1, created_at, 1, 200, '' FROM test.webhook_delivery`,
  );
  await rows.run(
    `UPDATE test.webhook_delivery SET status = 'succeeded', round_attempt_count = 1, attempt_count = 1,
      next_attempt_at = NULL, last_status_code = 200`,
  );
  release();
  await worker.stop();
  const { deliveries } = await merchant.webhooks.listDeliveries({}, merchant.as);
  expect(deliveries).toMatchObject([
    { status: DeliveryStatus.SUCCEEDED, attemptCount: 2, lastStatusCode: 200 },
  ]);
  const { attempts } = await merchant.webhooks.listDeliveryAttempts(
    { deliveryId: deliveries[0]?.id ?? "" },
    merchant.as,
  );
  expect(attempts.map(({ number, statusCode }) => [number, statusCode])).toEqual([
    [1, 200],
    [2, 500],
  ]);
});
