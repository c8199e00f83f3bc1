import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { STATUSES } from "../../contract/error-codes.ts";
import { DELIVERED_TYPES } from "../../contract/event-types.ts";
import { PUBLIC_SERVICES } from "../../contract/public-services.ts";
import packages from "../../package.json" with { type: "json" };
import sdk from "../../sdk/package.json" with { type: "json" };
import { routesOf } from "../../gateway/transcode/route.ts";
import { answerAt, openApi, operations, type Operation } from "../support/openapi.ts";

interface CodesSchema {
  readonly properties: {
    readonly error: { readonly properties: { readonly code: { readonly enum: readonly string[] } } };
  };
}

const byId = new Map(operations().map((each) => [each.operation.operationId, each]));
const AMOUNT = { type: "integer", minimum: 1, maximum: 999_999_999_999 };
const METADATA = { type: "object", maxProperties: 20, propertyNames: { not: { pattern: "^svc_" } } };
const INSTALLMENTS = { type: "integer", minimum: 1, maximum: 21, default: 12 };

test("it is a document of OpenAPI 3.1, by the specification's own schema", async () => {
  expect(await new Validator().validate(structuredClone(openApi))).toEqual({ valid: true });
  const broken = { ...structuredClone(openApi), paths: { v1: {} } };
  expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
});

test("package, SDK and document have one version", () => {
  expect([sdk.version, openApi.info.version]).toEqual([packages.version, packages.version]);
});

test("every RPC with a path is an operation, with its status and its scope", () => {
  const routes = routesOf(PUBLIC_SERVICES);
  const found = routes.map(({ operationId, path, verb, scope, status, isPublic }) => {
    const { operation, ...place } = byId.get(operationId) ?? {};
    expect(place).toEqual({ path: path.replaceAll(/:(\w+)/g, "{$1}"), verb: verb.toLowerCase() });
    expect(operation?.security).toEqual(isPublic ? [] : [{ ApiKey: scope === "" ? [] : [scope] }]);
    expect(operation?.responses).toHaveProperty(String(status));
    return operationId;
  });
  expect([...byId.keys()].toSorted()).toEqual([...found, "getHealth"].toSorted());
});

test("the operations of the specification, and refunds, by their scopes", () => {
  const scopes = operations().map(({ path, verb, operation }) => [
    `${verb.toUpperCase()} ${path}`,
    Object.values(operation.security?.[0] ?? {}).flat()[0],
  ]);
  expect(Object.fromEntries(scopes)).toMatchObject({
    "POST /v1/payment_links": "payment_links:write",
    "POST /v1/quotes": "quotes:write",
    "POST /v1/quotes/{id}/accept": "payment_intents:write",
    "POST /v1/payment_intents": "payment_intents:write",
    "GET /v1/payments/{id}": "payments:read",
    "GET /v1/payments": "payments:read",
    "GET /v1/payment_links/{id}/payments": "payments:read",
    "GET /v1/payment_intents/{id}": "payments:read",
    "POST /v1/payments/{id}/refunds": "refunds:write",
    "GET /v1/payments/{id}/refunds": "payments:read",
    "GET /v1/refunds": "payments:read",
    "GET /v1/refunds/{id}": "payments:read",
    "GET /v1/disputes": "payments:read",
    "GET /v1/receivables": "payments:read",
    "GET /v1/closes": "payments:read",
    "GET /v1/closes/{day}": "payments:read",
    "POST /v1/payment_links/{id}/simulate_payment": "payment_links:write",
    "GET /.well-known/jwks.json": undefined,
    "GET /healthz": undefined,
  });
});

describe("Limits", () => {
  const propertiesOf = (id: string): Record<string, unknown> =>
    byId.get(id)?.operation.requestBody?.content["application/json"].schema["properties"] as Record<
      string,
      unknown
    >;
  const parameter = (id: string, name: string) =>
    byId.get(id)?.operation.parameters?.find((each) => each["name"] === name);

  test.each([
    ["createPaymentLink", "amount", AMOUNT],
    ["createQuote", "amount", AMOUNT],
    ["createPaymentIntent", "amount", AMOUNT],
    ["createPaymentLink", "currency", { enum: ["BRL", "USD"] }],
    ["createPaymentLink", "reference", { maxLength: 255 }],
    ["acceptQuote", "reference", { maxLength: 255 }],
    ["createPaymentIntent", "reference", { maxLength: 255 }],
    ["createPaymentLink", "metadata", METADATA],
    ["acceptQuote", "metadata", METADATA],
    ["createPaymentIntent", "metadata", METADATA],
    ["createPaymentLink", "description", { maxLength: 500 }],
    ["acceptQuote", "description", { maxLength: 500 }],
    ["createPaymentLink", "product_ref", { maxLength: 255 }],
    ["createPaymentLink", "details", { maxLength: 500 }],
    ["createPaymentLink", "product_images", { maxItems: 5, items: { type: "string", maxLength: 2048 } }],
    ["acceptQuote", "media_urls", { maxItems: 5, items: { type: "string", maxLength: 2048 } }],
    ["acceptQuote", "name", { minLength: 1, maxLength: 500 }],
    ["createPaymentLink", "max_installments", INSTALLMENTS],
    ["createQuote", "installments", INSTALLMENTS],
    ["createPaymentLink", "expires_in", { minimum: 0 }],
    [
      "createPaymentLink",
      "payment_methods",
      { minItems: 1, uniqueItems: true, items: { enum: ["pix", "card"] }, default: ["pix"] },
    ],
    ["createPaymentLink", "collect_fields", { uniqueItems: true }],
    ["createPaymentIntent", "settlement_term", { pattern: expect.stringContaining("^D\\+") }],
    ["createPaymentIntent", "payer_country", { pattern: "^[A-Z]{2}$" }],
    ["simulatePayment", "payment_method", { enum: ["pix", "card"], default: "pix" }],
  ])("%s: %s", (id, name, keywords) => {
    expect(propertiesOf(id)[name]).toMatchObject(keywords);
  });

  test("list limit: default 20, maximum 100; no parameter is required, as what is found by a reference needs no days", () => {
    expect(parameter("listPayments", "limit")?.["schema"]).toMatchObject({
      minimum: 1,
      maximum: 100,
      default: 20,
    });
    expect(["from", "to"].map((name) => parameter("listPayments", name)?.["required"])).toEqual([
      false,
      false,
    ]);
  });

  test("Idempotency-Key: at most 255 characters, required where something is created", () => {
    expect(openApi.components.parameters["IdempotencyKey"]).toMatchObject({
      name: "Idempotency-Key",
      in: "header",
      required: true,
      schema: { minLength: 1, maxLength: 255 },
    });
    const requiring = operations().filter(({ operation }) =>
      operation.parameters?.some(({ $ref }) => $ref === "#/components/parameters/IdempotencyKey"),
    );
    expect(requiring.map(({ operation }) => operation.operationId).toSorted()).toEqual([
      "acceptQuote",
      "createPaymentIntent",
      "createPaymentLink",
      "createQuote",
      "createRefund",
      "createWebhookEndpoint",
      "rotateWebhookSecret",
      "sendTestEvent",
      "uploadMedia",
    ]);
  });

  test("request bodies are closed and name what they require", () => {
    const required = [
      "createPaymentLink",
      "createQuote",
      "acceptQuote",
      "createPaymentIntent",
      "simulatePayment",
    ];
    const schemas = required.map(
      (id) => byId.get(id)?.operation.requestBody?.content["application/json"].schema,
    );
    expect(schemas.map((schema) => schema?.["additionalProperties"])).toEqual(schemas.map(() => false));
    expect(schemas.map((schema) => schema?.["required"])).toEqual([
      ["amount", "currency"],
      undefined,
      ["name"],
      ["amount", "currency"],
      ["outcome"],
    ]);
    expect(schemas[1]?.["oneOf"]).toEqual([
      { required: ["amount", "currency"] },
      { required: ["payment_intent_id"] },
    ]);
  });

  test("a currency that is answered is one that can be asked for", () => {
    const { currency } = propertiesOf("createQuote") as { currency: { enum: string[] } };
    const { properties } = openApi.components.schemas["Payment"] as { properties: Record<string, unknown> };
    expect(properties["currency"]).toMatchObject({ enum: currency.enum });
  });
});

describe("errors", () => {
  const codesOf = (path: string, verb: string, operation: Operation): [status: string, code: string][] =>
    Object.keys(operation.responses)
      // The health check's 503 is its own answer and no error of the contract.
      .filter((status) => Number(status) >= 400 && !(path === "/healthz" && status === "503"))
      .flatMap((status) => {
        const schema = answerAt(path, verb, Number(status))?.answer.content?.["application/json"].schema;
        const { allOf } = schema as unknown as { allOf: readonly [Record<string, string>, CodesSchema] };
        expect(allOf[0]).toEqual({ $ref: "#/components/schemas/Error" });
        return allOf[1].properties.error.properties.code.enum.map((code): [string, string] => [status, code]);
      });
  const all = operations().flatMap(({ path, verb, operation }) => codesOf(path, verb, operation));

  test("every code is under its status, and no code of the contract is left out", () => {
    for (const [status, code] of all) expect([code, STATUSES[code as never]]).toEqual([code, Number(status)]);
    const elsewhere = ["method_not_allowed", "not_found"];
    expect([...new Set(all.map(([, code]) => code)), ...elsewhere].toSorted()).toEqual(
      Object.keys(STATUSES).toSorted(),
    );
  });

  test.each([
    ["createPaymentLink", ["merchant_net_not_positive", "reserved_metadata_key", "missing_idempotency_key"]],
    ["createQuote", ["payment_method_unsupported", "quote_fx_required", "merchant_net_not_positive"]],
    ["acceptQuote", ["quote_expired", "quote_consumed", "quote_not_found", "payment_method_unsupported"]],
    ["createPaymentIntent", ["reserved_metadata_key", "unknown_parameter"]],
    ["getPayment", ["payment_not_found", "invalid_api_key", "insufficient_scope"]],
    ["listPayments", ["invalid_request"]],
    ["createRefund", ["payment_not_found", "refund_period_over", "missing_idempotency_key"]],
    ["listRefunds", ["payment_not_found", "invalid_request"]],
    ["simulatePayment", ["not_available_in_live", "payment_link_not_found", "payment_method_unsupported"]],
  ])("%s names its own", (id, codes) => {
    const { path = "", verb = "", operation } = byId.get(id) ?? {};
    const found = codesOf(path, verb, operation as Operation).map(([, code]) => code);
    expect(found).toEqual(expect.arrayContaining(codes));
  });
});

test("each operation has one tag, each tag operations and a sentence for merchants", () => {
  const tags = openApi["tags"] as { name: string; description: string }[];
  const used = operations().flatMap(({ operation }) => operation.tags);
  expect(used).toHaveLength(operations().length);
  expect([...new Set(used)].toSorted()).toEqual(tags.map(({ name }) => name).toSorted());
  for (const { description } of tags) {
    expect(description).toMatch(/\.$/);
    expect(description).not.toMatch(/\b(RPC|caller|internal|metadata)s?\b/i);
  }
});

test.each([
  ["acceptQuote", "Links"],
  ["listLinkPayments", "Payments"],
  ["createRefund", "Refunds and disputes"],
  ["listCloses", "Balance and closes"],
  ["resendEvent", "Webhooks"],
  ["getSentEvent", "Events"],
  ["simulatePayment", "Sandbox"],
])("%s is under %s", (id, tag) => {
  expect(byId.get(id)?.operation.tags).toEqual([tag]);
});

test("webhooks: the documented events, with the headers of Standard Webhooks", () => {
  const headers = Object.entries(openApi.webhooks).map(([type, { post }]) => [
    type,
    (post.parameters ?? []).map(({ name }) => name),
  ]);
  const standard = ["webhook-id", "webhook-timestamp", "webhook-signature"];
  expect(Object.fromEntries(headers)).toEqual(
    Object.fromEntries(DELIVERED_TYPES.map((type) => [type, standard])),
  );
});
