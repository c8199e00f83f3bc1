import fastify from "fastify";
import { expect, test } from "vitest";
import { DocumentedAnswers } from "../support/documented-answers.ts";
import { webhookProblems } from "../support/documented-webhook.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);

/** What is found when a server answers so at a documented path. */
async function problemsOf(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<string[]> {
  const server = fastify();
  const answers = new DocumentedAnswers();
  answers.watch(server);
  server.get("/v1/payments/:id", async (_request, reply) =>
    reply
      .code(status)
      .headers({ "x-request-id": "req_1", ...headers })
      .send(body),
  );
  await server.inject({ url: "/v1/payments/pay_1" });
  await server.close();
  expect(answers.count).toBe(1);
  if (answers.problems.length > 0) expect(() => answers.expectNone()).toThrow("not as documented");
  return answers.problems;
}

test("an answer of the service is found as documented, and each departure from it is found", async () => {
  const { body: payment } = await merchant.pay();
  const { fee_amount: _fee, ...incomplete } = payment;
  const error = { code: "payment_not_found", message: "No.", param: null, request_id: merchant.tenant.id };
  expect(await problemsOf(200, payment)).toEqual([]);
  for (const [status, body, headers] of [
    [200, { ...payment, coverage: 1 }],
    [200, { ...payment, amount: "15990" }],
    [200, { ...payment, amount: 1.5 }],
    [200, { ...payment, status: "paid" }],
    [200, { ...payment, fx: null }],
    [200, { ...payment, id: "15990" }],
    [200, incomplete],
    [201, payment],
    [200, payment, { "retry-after": "1" }],
    [404, { error: { ...error, request_id: "1" } }],
    [404, { error: { ...error, code: "quote_not_found", request_id: payment.id.replace("pay", "req") } }],
    [400, { error: { ...error, request_id: payment.id.replace("pay", "req") } }],
  ] as const) {
    const found = await problemsOf(status, body, headers);
    expect([status, body, found]).toEqual([status, body, [expect.any(String)]]);
  }
});

test("every answer of a service is looked at, over a socket too", async () => {
  const baseUrl = await service.gateway.listen({ host: "127.0.0.1", port: 0 });
  const before = service.answers.count;
  await merchant.api.get("/v1/payments/pay_1");
  await fetch(`${baseUrl}/v1/payments/pay_1`);
  await fetch(`${baseUrl}/healthz`);
  expect(service.answers.count).toBe(before + 3);
  await fetch(`${baseUrl}/v2/payments`);
  await fetch(`${baseUrl}/v1/payments`, { method: "DELETE" });
  expect(service.answers.count).toBe(before + 3);
});

test("a webhook that is not as documented is found", async () => {
  const { body: payment } = await merchant.pay();
  const { events } = await merchant.webhooks.listEvents({ objectId: payment.id }, merchant.as);
  const text = Buffer.from(events[0]?.body ?? []).toString();
  // How a receiver knows what to hold against the document.
  expect(text).toMatch(/^\{"id":"evt_/);
  const headers = { "webhook-id": "evt_1", "webhook-timestamp": "1", "webhook-signature": "v1,x" };
  expect(webhookProblems({ headers, text })).toEqual([]);
  expect(webhookProblems({ headers: {}, text })).toHaveLength(3);
  expect(webhookProblems({ headers, text: text.replace('"data":', '"more":1,"data":') })).toHaveLength(1);
  expect(
    webhookProblems({ headers, text: text.replace("payment.succeeded", "payment.failed") }),
  ).toHaveLength(1);
  expect(webhookProblems({ headers, text: text.replace("payment.succeeded", "payment.lost") })).toHaveLength(
    1,
  );
});
