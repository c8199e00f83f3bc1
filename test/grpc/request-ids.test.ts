import { expect, test } from "vitest";
import type { EndedCall } from "../../src/platform/observe/observer.ts";
import { openCorePorts } from "../support/core-server.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

const ID = /^req_[0-9a-z]{26}$/;
const QUOTE = { amount: "15990", currency: "BRL", paymentMethod: "PAYMENT_METHOD_PIX" };

const calls: EndedCall[] = [];
const observer = {
  callEnded: (call: EndedCall) => void calls.push(call),
  attemptEnded: () => undefined,
  providerFailed: () => undefined,
};
const service = await forFile(startService("direct", { observer }));
const ports = await forFile(openCorePorts(service.core));
const tenant = await service.createTenant();

/** Calls an RPC with these headers. Returns the answer's status, its request id and the one of the call's log line. */
async function ask(rpc: string, headers: Record<string, string> = {}, message: object = QUOTE) {
  calls.length = 0;
  const response = await fetch(`http://${ports.http1}/paylink.${rpc}`, {
    method: "POST",
    headers: {
      ...service.internal.headers,
      "content-type": "application/json",
      "paylink-tenant": tenant.id,
      "paylink-mode": "test",
      ...headers,
    },
    body: JSON.stringify(message),
  });
  await response.arrayBuffer();
  return {
    status: response.status,
    id: response.headers.get("paylink-request-id") ?? "",
    logged: calls.map(({ requestId }) => requestId),
  };
}

const CREATE = "pricing.v1.PricingService/CreateQuote";

test.each([
  ["an answer", 200, CREATE, { "idempotency-key": "one" }],
  ["a refusal", 404, "links.v1.LinksService/GetPaymentLink", {}],
  ["a call without a token", 401, CREATE, { authorization: "" }],
])("%s has a request id, which the log has too", async (_, status, rpc, headers) => {
  const answer = await ask(rpc, headers, status === 404 ? { id: "pl_x" } : QUOTE);
  expect(answer).toMatchObject({ status, logged: [answer.id] });
  expect(answer.id).toMatch(ID);
});

test("a caller's own id is kept, and another text is none", async () => {
  const own = "req_01k2v7w7c5f8paq9fy5rxmd4ha";
  const kept = await ask(CREATE, { "idempotency-key": "two", "paylink-request-id": own });
  expect(kept).toMatchObject({ id: own, logged: [own] });
  const replaced = await ask(CREATE, { "idempotency-key": "three", "paylink-request-id": "of mine" });
  expect(replaced.id).toMatch(ID);
});

test("a replay has the id of the first call", async () => {
  const first = await ask(CREATE, { "idempotency-key": "four" });
  const again = await ask(CREATE, { "idempotency-key": "four" });
  expect(again.id).toBe(first.id);
  expect(again.logged).not.toEqual([first.id]);
});
