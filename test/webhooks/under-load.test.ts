import { expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { createMerchant, merchantOf, type Merchant } from "../support/merchant.ts";
import { startReceiver, type Receiver } from "../support/receiver.ts";
import { expectReconciled } from "../support/reconciled.ts";
import { secondService, startService, type TestService } from "../support/service.ts";
import { endProcess, startWorkerProcess } from "../support/worker.ts";

const PAYMENTS = 1000;
const CHUNK = 25;
const KILLS = 20;
// The first retries at once, so that what fails half of the time is through in seconds; many, so that luck runs out.
const schedule = [0, ...Array.from({ length: 39 }, () => 0.2)];

/** Payments of three links of different amounts, a chunk at a time. */
async function payMany(merchants: readonly Merchant[], count: number): Promise<void> {
  const links = await Promise.all(
    merchants.flatMap((merchant) =>
      [15_990, 100_000, 1234].map(async (amount) => ({
        merchant,
        id: await merchant.newLink({ campaign: true, amount, reference: `order-${amount}` }),
      })),
    ),
  );
  for (let made = 0; made < count; made += CHUNK) {
    await Promise.all(
      Array.from({ length: CHUNK }, async (_, index) => {
        const { merchant, id } = links[(made + index) % links.length] as (typeof links)[0];
        const payment_method = index % 4 === 0 ? "card" : "pix";
        expect((await merchant.simulate(id, { payment_method })).status).toBe(200);
      }),
    );
  }
}

const failHalf = (receiver: Receiver, answered: Set<string>): void => {
  receiver.answer((received, response) => {
    const isGood = Math.random() < 0.5;
    if (isGood) answered.add(received.eventId);
    response.writeHead(isGood ? 200 : 500).end();
  });
};

test("1,000 payments while the receiver fails half of its answers: none is missing, and every sum agrees", async () => {
  const service = await startService("direct", { delivery: { schedule } });
  const merchant = await createMerchant(service);
  const receiver = await startReceiver();
  const answered = new Set<string>();
  failHalf(receiver, answered);
  const { secret } = await merchant.webhooks.createWebhookEndpoint({ url: receiver.url }, merchant.as);
  const worker = service.core.startWorker();
  const startedMs = Date.now();
  await payMany([merchant], PAYMENTS);
  await expect.poll(() => answered.size, { timeout: 60_000 }).toBe(PAYMENTS);
  console.info(`1,000 events in ${receiver.received.length} attempts, ${Date.now() - startedMs} ms`);
  const { count, net } = await expectReconciled(service, merchant, secret, receiver.received);
  expect(count).toBe(PAYMENTS);
  console.info(`net of webhooks = of payments = of ledger = ${net}`);
  await worker.stop();
  await receiver.close();
  await service.close();
}, 90_000);

test("kill -9 of the worker 20 times under that load: nothing is missing", async () => {
  const settings = { delivery: { schedule, expireSeconds: 2 } };
  const service = await startService("direct", settings);
  const merchant = await createMerchant(service);
  const receiver = await startReceiver();
  const answered = new Set<string>();
  failHalf(receiver, answered);
  const { secret } = await merchant.webhooks.createWebhookEndpoint({ url: receiver.url }, merchant.as);
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
  expect(killedAtWork).toBeGreaterThan(KILLS / 2);
  await endProcess(last, "SIGTERM");
  await receiver.close();
  await service.close();
}, 150_000);

/** Whether a job is taken at this moment. */
async function isAtWork({ databaseUrl }: TestService): Promise<boolean> {
  const rows = await new DatabaseRows(databaseUrl).open();
  const count = await rows.count("test_jobs.job WHERE state = 'active'");
  await rows.close();
  return count > 0;
}

test("Two workers and two cores side by side send no event twice", async () => {
  const service = await startService();
  const second = await secondService(service);
  const merchant = await createMerchant(service);
  const receiver = await startReceiver();
  const { secret } = await merchant.webhooks.createWebhookEndpoint({ url: receiver.url }, merchant.as);
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
}, 60_000);
