import { afterAll, expect, test } from "vitest";
import { EVENT_KINDS, EVENT_TYPES } from "../../contract/event-types.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startReceiver, type Receiver } from "../support/receiver.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const worker = service.core.startWorker();
afterAll(async () => await worker.stop());

/** An endpoint made over REST, which subscribes to these. */
async function subscribe(merchant: Merchant, event_types: readonly string[]) {
  const receiver = await forFile(startReceiver());
  const { body } = await merchant.api.post("/v1/webhook_endpoints", { url: receiver.url, event_types });
  return { receiver, endpoint: body };
}

/** The types that were received, without repetitions. */
const typesAt = ({ received }: Receiver): string[] =>
  [...new Set(received.map(({ text }) => JSON.parse(text).type as string))].toSorted();

test("an endpoint with kinds receives all types of them and no other, and shows what was given", async () => {
  const merchant = await createMerchant(service);
  const all = await subscribe(merchant, []);
  const payments = await subscribe(merchant, ["payment.*"]);
  const others = await subscribe(merchant, ["refund.*", "link.completed"]);
  const { body: payment } = await merchant.pay();
  await merchant.api.post(`/v1/payments/${payment.id}/refunds`, { amount: 100 });
  await all.receiver.until(4);
  await payments.receiver.until(1);
  await others.receiver.until(2);
  expect(typesAt(all.receiver)).toEqual([
    "link.completed",
    "link.created",
    "payment.succeeded",
    "refund.succeeded",
  ]);
  expect(typesAt(payments.receiver)).toEqual(["payment.succeeded"]);
  expect(typesAt(others.receiver)).toEqual(["link.completed", "refund.succeeded"]);
  const { body: listed } = await merchant.api.get("/v1/webhook_endpoints");
  expect(listed.data.map((endpoint: { event_types: string[] }) => endpoint.event_types)).toEqual([
    [],
    ["payment.*"],
    ["refund.*", "link.completed"],
  ]);
});

test("what an endpoint with kinds missed and what failed is sent again, of these kinds alone", async () => {
  const merchant = await createMerchant(service);
  const { receiver, endpoint } = await subscribe(merchant, ["link.*"]);
  const path = `/v1/webhook_endpoints/${endpoint.id}`;
  await merchant.api.post(`${path}/disable`, {});
  const { body: payment } = await merchant.pay();
  await merchant.api.post(`${path}/enable`, {});
  const { body } = await merchant.api.post(`${path}/resend_failed`, { since: endpoint.created_at });
  expect(body.event_count).toBe(2);
  await receiver.until(2);
  expect(typesAt(receiver)).toEqual(["link.completed", "link.created"]);
  const [event] = (await merchant.api.get(`/v1/events?object_id=${payment.id}`)).body.data;
  const { body: resent } = await merchant.api.post(`/v1/events/${event.id}/resend`, {});
  expect(resent.data).toEqual([]);

  const resendWith = async (event_types: string[]): Promise<number> => {
    await merchant.api.post(path, { event_types });
    await rows.run(
      "UPDATE test.webhook_delivery SET status = 'failed', next_attempt_at = NULL WHERE endpoint_id = $1",
      [endpoint.id],
    );
    return (await merchant.api.post(`${path}/resend_failed`, { since: endpoint.created_at })).body
      .event_count;
  };
  expect(await resendWith(["refund.*"])).toBe(0);
  expect(await resendWith(["refund.*", "link.*"])).toBe(2);
});

test("every type and every kind is taken; another word is refused, and the message names those that there are", async () => {
  const merchant = await createMerchant(service);
  const words = [...EVENT_TYPES, ...EVENT_KINDS];
  const url = "https://93.184.215.14/hook";
  const made = await merchant.api.post("/v1/webhook_endpoints", { url, event_types: words });
  expect([made.status, made.body.event_types]).toEqual([201, words]);
  for (const word of [
    "payment",
    "payment.",
    "payment.*.failed",
    "*",
    "webhook.*",
    "webhook.test",
    "Link.*",
  ]) {
    const refused = await merchant.api.post("/v1/webhook_endpoints", { url, event_types: [word] });
    expect([word, refused.status, refused.body.error.code]).toEqual([word, 400, "invalid_request"]);
    expect(refused.body.error.message).toContain(words.join(", "));
  }
});
