import { describe, expect, test } from "vitest";
import { PaymentLinkStatus } from "../../gen/paylink/links/v1/links_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError } from "../support/error-answer.ts";
import { createMerchant } from "../support/merchant.ts";
import { forFile } from "../support/for-file.ts";
import { startReceiver, verified } from "../support/receiver.ts";
import { secondService, startService } from "../support/service.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

const eventsOf = (linkId: string) =>
  rows.count("test.event WHERE object_id = $1 AND type = 'link.expired'", [linkId]);
const stored = (linkId: string, status: string) =>
  rows.count("test.payment_link WHERE id = $1 AND status = $2", [linkId, status]);

describe("a link that reaches its expiry", () => {
  test("is expired and sends one event, with the link as the API shows it and its reference", async () => {
    const receiver = await startReceiver();
    const { secret } = await merchant.webhooks.createWebhookEndpoint({ url: receiver.url }, merchant.as);
    const worker = service.core.startWorker();
    const body = {
      amount: 15_990,
      currency: "BRL",
      expires_in: 60,
      reference: "order-7",
      metadata: { a: 1 },
    };
    const made = await merchant.api.post("/v1/payment_links", body);
    const { campaign, quote_id, payment_intent_id, updated_at, ...link } = made.body;
    expect([campaign, quote_id, payment_intent_id, updated_at]).toEqual([false, null, null, null]);
    service.clock.advance(60);
    for (let time = 0; time < 3; time++) await service.core.tasks.expireLinks();
    const [received] = await receiver.until(1, ({ text }) => text.includes("expired"));
    expect(verified(received as never, secret)).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: "link.expired",
      created: expect.any(Number),
      mode: "test",
      reference: "order-7",
      data: { payment_link: { ...link, status: "expired" } },
    });
    expect(await eventsOf(link.id)).toBe(1);
    await worker.stop();
    await receiver.close();
  });

  test("accepts nothing even before the sweep has run, and reads as expired; no read writes that down", async () => {
    const id = await merchant.newLink({ expires_in: 60 });
    service.clock.advance(60);
    expectError(await merchant.simulate(id));
    const { paymentLink } = await merchant.links.getPaymentLink({ id }, merchant.as);
    expect(paymentLink?.status).toBe(PaymentLinkStatus.EXPIRED);
    await expect(merchant.links.cancelPaymentLink({ id }, merchant.as)).rejects.toThrow("expired");
    expect([await eventsOf(id), await stored(id, "active")]).toEqual([0, 1]);
    await service.core.tasks.expireLinks();
    expect([await eventsOf(id), await stored(id, "expired")]).toEqual([1, 1]);
  });

  test("not a second before it", async () => {
    const id = await merchant.newLink({ expires_in: 60 });
    service.clock.advance(58);
    await service.core.tasks.expireLinks();
    expect([await eventsOf(id), await stored(id, "active")]).toEqual([0, 1]);
    service.clock.advance(2);
    await service.core.tasks.expireLinks();
    expect([await eventsOf(id), await stored(id, "expired")]).toEqual([1, 1]);
  });

  test("unless it never expires, was paid or was canceled", async () => {
    const never = await merchant.newLink({ expires_in: 0 });
    const paid = await merchant.newLink({ expires_in: 60 });
    await merchant.simulate(paid);
    const canceled = await merchant.newLink({ expires_in: 60 });
    await merchant.links.cancelPaymentLink({ id: canceled }, merchant.as);
    service.clock.advance(100_000);
    await service.core.tasks.expireLinks();
    expect([
      await stored(never, "active"),
      await stored(paid, "completed"),
      await stored(canceled, "canceled"),
    ]).toEqual([1, 1, 1]);
    expect([await eventsOf(never), await eventsOf(canceled), await eventsOf(paid)]).toEqual([0, 0, 0]);
  });

  test("500 links at once, swept by two cores side by side four times each: one event each", async () => {
    const second = await secondService(service);
    const ids: string[] = [];
    for (let chunk = 0; chunk < 20; chunk++) {
      ids.push(
        ...(await Promise.all(Array.from({ length: 25 }, () => merchant.newLink({ expires_in: 10 })))),
      );
    }
    service.clock.advance(10);
    const startedMs = performance.now();
    await Promise.all(
      Array.from({ length: 4 }, () => [
        service.core.tasks.expireLinks(),
        second.core.tasks.expireLinks(),
      ]).flat(),
    );
    console.info(`500 links expired in ${Math.round(performance.now() - startedMs)} ms`);
    const found = "test.event WHERE type = 'link.expired' AND object_id = ANY ($1)";
    expect(await rows.count(found, [ids])).toBe(500);
    expect(await rows.count("test.payment_link WHERE status = 'expired' AND id = ANY ($1)", [ids])).toBe(500);
    await second.close();
  });

  test("is expired after one batch of another tenant's links, however many of them are due before it", async () => {
    const [many, other] = [await createMerchant(service), await createMerchant(service)];
    await many.webhooks.createWebhookEndpoint({ url: "http://127.0.0.1:3999/hook" }, many.as);
    const template = await many.newLink({ expires_in: 59 });
    await rows.run(
      `INSERT INTO test.payment_link SELECT (jsonb_populate_record(l, jsonb_build_object('id', 'pl_due' || n))).*
        FROM test.payment_link l, generate_series(1, 2499) n WHERE l.id = $1`,
      [template],
    );
    const id = await other.newLink({ expires_in: 60 });
    service.clock.advance(60);
    await service.core.tasks.expireLinks();
    expect([await eventsOf(id), await stored(id, "expired")]).toEqual([1, 1]);
    const expired = "test.event WHERE type = 'link.expired' AND (object_id = $1 OR object_id LIKE 'pl_due%')";
    expect(await rows.count(expired, [template])).toBe(2500);
    // Transactions are numbered in their order.
    const [commits] = await rows.read(
      `SELECT count(DISTINCT e.xmin::text)::int AS all, count(DISTINCT e.xmin::text)
          FILTER (WHERE e.xmin::text::bigint < (SELECT xmin::text::bigint FROM test.event WHERE object_id = $1 AND type = 'link.expired'))::int AS before
        FROM test.event e WHERE type = 'link.expired' AND (object_id = $2 OR object_id LIKE 'pl_due%')`,
      [id, template],
    );
    expect(commits).toEqual({ all: 250, before: 1 });
    const [deliveries] = await rows.read(
      `SELECT count(*)::int AS count FROM test.event e JOIN test.webhook_delivery d ON d.event_id = e.id
        WHERE e.object_id LIKE 'pl_due%' AND d.status = 'pending'`,
    );
    expect(deliveries).toEqual({ count: 2499 });
  });

  test("or is paid at that very moment: either the payment or the expiry, never both", async () => {
    const ids = await Promise.all(Array.from({ length: 60 }, () => merchant.newLink({ expires_in: 2 })));
    // Half of the simulations come while the sweep is looking.
    const outcomes = Promise.all(ids.map((id) => merchant.simulate(id)));
    service.clock.advance(2);
    await Promise.all([service.core.tasks.expireLinks(), service.core.tasks.expireLinks(), outcomes]);
    await service.core.tasks.expireLinks();
    for (const [index, { status }] of (await outcomes).entries()) {
      const id = ids[index] ?? "";
      const [completed, expired] = [await stored(id, "completed"), await stored(id, "expired")];
      expect([status, completed, expired, await eventsOf(id)]).toEqual(
        status === 200 ? [200, 1, 0, 0] : [400, 0, 1, 1],
      );
    }
  });
});
