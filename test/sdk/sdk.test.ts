import { expect, test } from "vitest";
import { createPaylink, verifyWebhook, type WebhookEvent } from "@paylink/sdk";
import { OPERATIONS } from "../../gen/sdk/operations.ts";
import { forFile } from "../support/for-file.ts";
import { pictureFolder } from "../support/media.ts";
import { operations } from "../support/openapi.ts";
import { drawn } from "../support/pictures.ts";
import { startReceiver, type Received } from "../support/receiver.ts";
import { startService } from "../support/service.ts";

const { mediaStorage, remove } = await pictureFolder();
await forFile(Promise.resolve({ close: remove }));
const service = await forFile(startService("direct", { mediaStorage }));
const receiver = await forFile(startReceiver());
const { testKey: key } = await service.createTenant();
const baseUrl = await service.gateway.listen({ host: "127.0.0.1", port: 0 });
const paylink = createPaylink({ baseUrl, key });

test("it has a function for each operation of the document, at its address", () => {
  const documented = operations().map(({ path, verb, operation }) => [
    operation.operationId,
    [verb.toUpperCase(), path],
  ]);
  const known = Object.entries(OPERATIONS).map(([id, { verb, path }]) => [id, [verb, path]]);
  expect(Object.fromEntries(known)).toEqual(Object.fromEntries(documented));
  for (const [id] of known) expect(paylink).toHaveProperty(String(id), expect.any(Function));
});

test("an id that an address does not keep is refused before a request is made", async () => {
  for (const id of ["", ".", ".."]) {
    await expect(paylink.getPayment({ id })).rejects.toThrow(
      new TypeError("id names nothing in /v1/payments/{id}."),
    );
  }
  await expect(paylink.getPayment({ id: "..." })).rejects.toMatchObject({ code: "payment_not_found" });
});

test("from a quote to a payment, its webhook, its event and the balance", async () => {
  const { secret, id: endpointId } = await paylink.createWebhookEndpoint({
    url: receiver.url,
    event_types: ["payment.*"],
  });
  const quote = await paylink.createQuote({ amount: 15_990, currency: "BRL", payment_method: "pix" });
  if ("scenarios" in quote) throw new Error("a method was named");
  const link = await paylink.acceptQuote({ id: quote.id, name: "Shoes", reference: "order-1" });
  expect(await paylink.updatePaymentLink({ id: link.id, description: "Boots" })).toMatchObject({
    description: "Boots",
  });
  const payment = await paylink.simulatePayment({ id: link.id, outcome: "succeeded" });
  expect(await paylink.getPayment({ id: payment.id })).toEqual(payment);
  expect(await paylink.getPaymentLink({ id: link.id })).toMatchObject({
    status: "completed",
    quote_id: quote.id,
  });
  expect(await paylink.getBalance()).toEqual({
    data: [{ currency: "BRL", pending: payment.net_amount, available: 0 }],
  });
  const worker = service.core.startWorker();
  const [{ text, headers }] = (await receiver.until(1)) as [Received];
  await worker.stop();
  const event: WebhookEvent = verifyWebhook(text, headers, ["whsec_b3RoZXI=", secret]);
  const asBytes = new TextEncoder().encode(text);
  expect(verifyWebhook(asBytes, new Headers(headers as Record<string, string>), secret)).toEqual(event);
  if (event.type !== "payment.succeeded") throw new Error(`an event of type ${event.type}`);
  expect(event.data.payment).toEqual(payment);
  expect(await paylink.getSentEvent({ id: event.id })).toEqual(event);
  for (const others of [["whsec_b3RoZXI="], [], "whsec_b3RoZXI="])
    expect(() => verifyWebhook(text, headers, others)).toThrow(/No matching signature|needs a secret/);
  expect(() => verifyWebhook(`${text} `, headers, secret)).toThrow("No matching signature found");
  expect((await paylink.listDeliveries({ endpoint_id: endpointId })).data).toMatchObject([
    { event_id: event.id },
  ]);
});

test("a list is read to its end, each item once, by pages of the wished size", async () => {
  const made: string[] = [];
  for (let count = 0; count < 5; count++) {
    made.push(
      (await paylink.createPaymentLink({ amount: 10_000 + count, currency: "BRL", reference: "page" })).id,
    );
  }
  const read: string[] = [];
  for await (const { id } of paylink.all("listPaymentLinks", { query: "page", limit: 2 })) read.push(id);
  expect(read).toEqual(made.toReversed());
  const none = [];
  for await (const quote of paylink.all("listQuotes", { status: "expired" })) none.push(quote);
  expect(none).toEqual([]);
  const { id: endpointId } = await paylink.createWebhookEndpoint({ url: receiver.url });
  const endpoints = [];
  // @ts-expect-error -- a list in one answer: JavaScript reads it all the same
  for await (const endpoint of paylink.all("listWebhookEndpoints")) {
    endpoints.push(endpoint);
    if (endpoints.length > 9) break;
  }
  const inOne = (await paylink.listWebhookEndpoints()).data;
  expect(endpoints).toEqual(inOne);
  expect(inOne.map(({ id }) => id)).toContain(endpointId);
});

test("a picture of up to 3 MiB goes up as base64, and no larger one", async () => {
  const file = await drawn(1020, 1020).png({ compressionLevel: 0 }).toBuffer();
  expect(file.length).toBeGreaterThan(3_100_000);
  const { url, id } = await paylink.uploadMedia({ content: file.toString("base64"), name: "shoes.png" });
  expect(url).toContain(id);
  expect((await paylink.listMedia()).data.map((each) => each.id)).toEqual([id]);
  const larger = Buffer.alloc(3 * 1024 ** 2 + 1).toString("base64");
  await expect(paylink.uploadMedia({ content: larger })).rejects.toMatchObject({
    status: 400,
    param: "content",
  });
  await expect(paylink.uploadMedia({ content: `${larger}${"A".repeat(8192)}` })).rejects.toMatchObject({
    status: 413,
    code: "payload_too_large",
  });
});

test("what is not of the contract is refused by the types", async () => {
  const link = { amount: 100, currency: "BRL" } as const;
  // @ts-expect-error -- an unknown key
  await expect(paylink.createPaymentLink({ ...link, colour: "red" })).rejects.toThrow("unknown_parameter");
  // @ts-expect-error -- a required field is missing
  await expect(paylink.createPaymentLink({ amount: 100 })).rejects.toThrow("currency");
  // @ts-expect-error -- no currency of ours
  await expect(paylink.createPaymentLink({ ...link, currency: "EUR" })).rejects.toThrow("currency");
  // @ts-expect-error -- an id is needed
  await expect(paylink.getPayment()).rejects.toThrow("id names nothing");
});
