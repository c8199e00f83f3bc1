import { create, toJson, type JsonValue, type Message } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { routesOf, type Route } from "../../../gateway/transcode/route.ts";
import { PUBLIC_SERVICES } from "../../../contract/public-services.ts";
import { Mode } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import {
  CreatePaymentIntentResponseSchema,
  ListPaymentsResponseSchema,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import {
  GetSentEventResponseSchema,
  ListSentEventsResponseSchema,
} from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { Idempotency } from "../../../gen/paylink/options/v1/options_pb.ts";
import { ListSigningKeysResponseSchema } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";

const routes = (): Route[] => routesOf(PUBLIC_SERVICES);

function routeOf(name: string): Route {
  const route = routes().find(({ method }) => method.name === name);
  if (!route) throw new Error(`no route ${name}`);
  return route;
}

test("the routes of the specification, and refunds, are as in the options of their RPCs", () => {
  const { REQUIRED, OPTIONAL, UNSPECIFIED } = Idempotency;
  const shown = routes().map(({ verb, path, status, scope, idempotency, isSandboxOnly, isPublic }) => [
    `${verb} ${path}`,
    status,
    scope,
    idempotency,
    isSandboxOnly,
    isPublic,
  ]);
  const specified = [
    ["POST /v1/quotes", 201, "quotes:write", REQUIRED, false, false],
    ["GET /.well-known/jwks.json", 200, "", UNSPECIFIED, false, true],
    ["POST /v1/payment_intents", 201, "payment_intents:write", REQUIRED, false, false],
    ["GET /v1/payments/:id", 200, "payments:read", UNSPECIFIED, false, false],
    ["GET /v1/payments", 200, "payments:read", UNSPECIFIED, false, false],
    ["POST /v1/payments/:id/refunds", 201, "refunds:write", REQUIRED, false, false],
    ["GET /v1/payments/:id/refunds", 200, "payments:read", UNSPECIFIED, false, false],
    ["POST /v1/payment_links", 201, "payment_links:write", REQUIRED, false, false],
    ["POST /v1/quotes/:id/accept", 201, "payment_intents:write", REQUIRED, false, false],
    ["POST /v1/payment_links/:id/simulate_payment", 200, "payment_links:write", OPTIONAL, true, false],
  ];
  expect(shown).toEqual(expect.arrayContaining(specified));
  expect(new Set(shown.map(([place]) => place)).size).toBe(shown.length);
});

describe("a request", () => {
  const read = (
    name: string,
    { path = {}, query = "", body }: { path?: Record<string, string>; query?: string; body?: string },
  ): JsonValue => {
    const route = routeOf(name);
    const bytes = body === undefined ? undefined : new TextEncoder().encode(body);
    return toJson(route.method.input, route.read({ path, query, body: bytes }));
  };
  const refused = (param: string | null, code = "invalid_request") =>
    expect.objectContaining({ name: "PublicError", code, param });

  test("by GET is read from path and query, and its body is ignored", () => {
    expect(read("GetPayment", { path: { id: "pay_1" }, body: "{" })).toEqual({ id: "pay_1" });
    expect(read("ListPayments", { query: "limit=5&from=2026-01-01" })).toEqual({
      limit: 5,
      from: "2026-01-01",
    });
    expect(() => read("GetPayment", { path: { id: "pay_1" }, query: "id=pay_2" })).toThrow(
      refused("id", "unknown_parameter"),
    );
  });

  test("by POST is read from path and body, and takes no query", () => {
    const path = { id: "qt_1" };
    expect(read("AcceptQuote", { path, body: '{"name":"Shoes"}' })).toEqual({ id: "qt_1", name: "Shoes" });
    expect(() => read("AcceptQuote", { path, body: '{"id":"qt_2"}' })).toThrow(
      refused("id", "unknown_parameter"),
    );
    expect(() => read("AcceptQuote", { path, query: "name=a", body: "{}" })).toThrow(
      refused("name", "unknown_parameter"),
    );
  });

  test.each([undefined, ""])("by POST without a body, %j, is refused", (body) => {
    const attempt = () => read("CreateQuote", body === undefined ? {} : { body });
    expect(attempt).toThrow(refused(null));
    expect(attempt).toThrow("A JSON body is required.");
  });

  test.each([undefined, "", "{}"])("that takes no body may have an empty one, %j, and no key", (body) => {
    const path = { id: "pl_1" };
    expect(read("CancelPaymentLink", body === undefined ? { path } : { path, body })).toEqual(path);
    expect(() => read("CancelPaymentLink", { path, body: '{"id":"pl_2"}' })).toThrow(
      refused("id", "unknown_parameter"),
    );
  });

  test("reads words and times from a query, and times and bytes from a body", () => {
    expect(read("ListDeliveries", { query: "status=failed&since=0" })).toEqual({
      status: "DELIVERY_STATUS_FAILED",
      since: "1970-01-01T00:00:00Z",
    });
    for (const query of ["status=FAILED", "status=", "status=unspecified"])
      expect(() => read("ListDeliveries", { query })).toThrow(refused("status"));
    for (const query of ["since=-1", "since=1e3", "since=2026-01-01", "since=253402300800"])
      expect(() => read("ListDeliveries", { query })).toThrow(refused("since"));
    const path = { endpoint_id: "we_1" };
    expect(read("ResendFailedEvents", { path, body: '{"since":1}' })).toMatchObject({
      since: "1970-01-01T00:00:01Z",
    });
    expect(() => read("ResendFailedEvents", { path, body: '{"since":"1"}' })).toThrow(refused("since"));
    expect(read("UploadMedia", { body: '{"content":"AQI="}' })).toEqual({ content: "AQI=" });
    for (const content of ["AQI", "A=I=", "AQ-_", "A", 1])
      expect(() => read("UploadMedia", { body: JSON.stringify({ content }) })).toThrow(refused("content"));
  });

  test("of a webhook has no submission of the console's", () => {
    expect(() => read("CreateWebhookEndpoint", { body: '{"submission_id":"a"}' })).toThrow(
      refused("submission_id", "unknown_parameter"),
    );
  });

  test("has nothing of a name in its path that is no field of its own", () => {
    expect(read("GetPayment", { path: { id: "pay_1", other: "x" } })).toEqual({ id: "pay_1" });
  });
});

describe("an answer", () => {
  const write = (name: string, response: Message): string => routeOf(name).write(response);

  test("is the whole message, or the one field that is the body", () => {
    expect(write("ListSigningKeys", create(ListSigningKeysResponseSchema, {}))).toBe('{"keys":[]}');
    expect(write("ListPayments", create(ListPaymentsResponseSchema, {}))).toBe(
      '{"data":[],"has_more":false,"next_cursor":null}',
    );
    const paymentIntent = { id: "pi_1", mode: Mode.LIVE, amount: 1n };
    const response = create(CreatePaymentIntentResponseSchema, { paymentIntent });
    expect(JSON.parse(write("CreatePaymentIntent", response))).toMatchObject({ id: "pi_1", amount: 1 });
  });

  test("of an event is the bytes that were sent, alone and in a list", () => {
    const text = '{"id":"evt_1", "data":{}}';
    const event = { body: Buffer.from(text) };
    expect(write("GetSentEvent", create(GetSentEventResponseSchema, { event }))).toBe(text);
    const page = create(ListSentEventsResponseSchema, { data: [event, event] });
    expect(write("ListSentEvents", page)).toBe(
      `{"data":[${text},${text}],"has_more":false,"next_cursor":null}`,
    );
  });

  test("without the field that is its body is a fault", () => {
    const response = create(CreatePaymentIntentResponseSchema, {});
    expect(() => write("CreatePaymentIntent", response)).toThrow("payment_intent is not set");
  });
});
