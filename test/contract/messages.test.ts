import { create, getOption, hasOption, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { createValidator } from "@bufbuild/protovalidate";
import {
  field as validated,
  ViolationsSchema,
  type FieldRules,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { BadRequestSchema } from "#schemas/google/rpc/error_details_pb.js";
import { WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { CORE_SERVICES } from "../../src/rooms.ts";
import { Api } from "../support/api.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { unaryMethods } from "../support/grpc-client.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const tenant = await service.createTenant();
const api = new Api(service, tenant.testKey);

/** What only those who know protobuf, protovalidate or a regular expression would understand. */
const INTERNAL =
  /\bvalue\b|in list|regex|enum\b|_UNSPECIFIED|[\^$\\{}]|\[[\d, -]*\]|proto|\bCEL\b|is not valid/;

/** Values of a field that break its rules, one rule each at least. */
function bad(field: DescField): unknown[] {
  if (!hasOption(field, validated))
    return field.message && field.fieldKind === "message" ? nested(field.message) : [];
  const { type } = getOption(field, validated);
  if (type.case === "map") {
    const tooMany = Array.from({ length: Number(type.value.maxPairs) + 1 }, (_, index) => [`n${index}`, ""]);
    return [Object.fromEntries(tooMany)];
  }
  if (field.fieldKind !== "list")
    return [...badValues(type), ...(field.message ? nested(field.message) : [])];
  const { items, minItems, maxItems, unique } = type.value as { [key: string]: unknown } & {
    items?: FieldRules;
  };
  const wrong = items ? badValues(items.type) : [];
  const some = wrong[0] ?? (field.message ? create(field.message) : "x");
  return [
    ...wrong.map((value) => [value]),
    ...(minItems ? [[]] : []),
    ...(maxItems ? [Array.from({ length: Number(maxItems) + 1 }, () => some)] : []),
    ...(unique ? [[some, some]] : []),
  ];
}

function nested(desc: DescMessage): unknown[] {
  if (desc.typeName.startsWith("google.")) return [];
  return desc.fields.flatMap((field) => bad(field).map((value) => ({ [field.localName]: value })));
}

// oxlint-disable-next-line typescript/no-explicit-any -- each rule has its own shape
function badValues({ case: kind, value: rules }: { case?: string | undefined; value?: any }): unknown[] {
  switch (kind) {
    case "string":
      return ["", "\u0007", "x".repeat(Number(rules.maxLen || 0n) + 1), "no such word"];
    case "bytes":
      return [new Uint8Array(), new Uint8Array(Number(rules.maxLen || rules.len || 0n) + 1)];
    case "enum":
      return [0, 99];
    case "int32":
      return [Number(rules.greaterThan.value) - 1, Number(rules.lessThan.value) + 1];
    case "int64":
      return [
        BigInt(rules.greaterThan.value) - 1n,
        ...(rules.lessThan.case ? [BigInt(rules.lessThan.value) + 1n] : []),
      ];
    default:
      return [];
  }
}

/** How many fields of the message, and of those in it, have rules. */
function rulesOf(desc: DescMessage): number {
  return desc.fields.reduce((count, field) => {
    const own = hasOption(field, validated) ? 1 : 0;
    const inner = field.message && !field.message.typeName.startsWith("google.") ? rulesOf(field.message) : 0;
    return count + own + inner;
  }, 0);
}

describe("a violated rule is described in the contract's words", () => {
  const methods = unaryMethods(CORE_SERVICES).filter(({ input }) => rulesOf(input) > 0);

  test.each(methods.map((method) => [`${method.parent.name}/${method.name}`, method] as const))(
    "%s",
    async (_name, method) => {
      const validator = createValidator();
      const requests = [
        {},
        ...method.input.fields.flatMap((field) => bad(field).map((value) => ({ [field.localName]: value }))),
      ].map((init) => create(method.input, init));
      let violated = 0;
      for (const request of requests) {
        // Some of what breaks one rule is good by another.
        if (validator.validate(method.input, request).kind === "valid") continue;
        violated += 1;
        const call = service.core.transport.unary(
          method,
          undefined,
          undefined,
          service.internal.headers,
          request,
        );
        const error = ConnectError.from(
          await call.then(
            () => undefined,
            (reason: unknown) => reason,
          ),
        );
        const described = error.findDetails(BadRequestSchema)[0]?.fieldViolations ?? [];
        expect(described.length).toBeGreaterThan(0);
        for (const text of [error.rawMessage, ...described.map(({ description }) => description)]) {
          expect(text).toMatch(/^[a-z\d_.]+ (?:must|is required).*\.$/s);
          expect(text).not.toMatch(INTERNAL);
        }
        expect(error.rawMessage).toBe(described[0]?.description);
        const [detail] = error.findDetails(ViolationsSchema);
        for (const { message } of detail?.violations ?? []) expect(message).not.toMatch(INTERNAL);
      }
      expect(violated).toBeGreaterThan(0);
    },
  );

  test("every rule that a field has is broken by one of these requests", () => {
    const validator = createValidator();
    const seen = new Set<string>();
    const wanted = new Set<string>();
    for (const { input } of methods) {
      for (const field of input.fields) {
        if (hasOption(field, validated)) wanted.add(`${input.name}.${field.name}`);
        for (const value of [undefined, ...bad(field)]) {
          const request = create(input, value === undefined ? {} : { [field.localName]: value });
          const { violations = [] } = validator.validate(input, request);
          for (const violation of violations)
            seen.add(`${input.name}.${(violation.field[0] as DescField).name}`);
        }
      }
    }
    expect([...wanted].filter((name) => !seen.has(name))).toEqual([]);
  });
});

test("of a list's bad entries the first 16 are described, and all other fields", async () => {
  const { createWebhookEndpoint } = WebhooksService.method;
  const eventTypes = { values: Array.from({ length: 2000 }, (_, index) => `type-${index}`) };
  const { headers } = service.internal;
  const call = service.core.transport.unary(createWebhookEndpoint, undefined, undefined, headers, {
    eventTypes,
    submissionId: "",
  });
  const refusal = await call.then(String, (error: unknown) => ConnectError.from(error));
  expect(refusal).toBeInstanceOf(ConnectError);
  const described = (refusal as ConnectError).findDetails(BadRequestSchema)[0]?.fieldViolations ?? [];
  const count = (name: string) => described.filter(({ field }) => field.startsWith(name)).length;
  expect([count("url"), count("event_types"), count("submission_id")]).toEqual([1, 16, 1]);
  const detail = (refusal as ConnectError).findDetails(ViolationsSchema)[0];
  expect(detail?.violations.length).toBe(described.length);
});

/** Returns the field that a message begins with. */
const fieldIn = (message: string): string => message.slice(0, message.indexOf(" "));

describe("REST", () => {
  const LINK = { amount: 5000, currency: "BRL" };
  test.each([
    [{ payment_methods: ["ted"] }, "payment_methods must be a subset of pix, card."],
    [{ payment_methods: ["cash"] }, "payment_methods must be a subset of pix, card."],
    [{ payment_methods: ["pix", "pix"] }, "payment_methods must not have an entry twice."],
    [{ payment_methods: [] }, "payment_methods must be a list of at least 1 entry."],
    [{ collect_fields: ["email"] }, "collect_fields must be a subset of phone, address."],
    [{ payer_fields: { email: true } }, "payer_fields must be optional or required."],
    [{ currency: "EUR" }, "currency must be BRL or USD."],
    [{ fee_handling: "split" }, "fee_handling must be absorb or pass_through."],
    [{ amount: 0 }, "amount must be 1 to 999999999999."],
    [{ amount: 1e15 }, "amount must be 1 to 999999999999."],
    [{ amount: undefined }, "amount is required."],
    [{ reference: "r".repeat(256) }, "reference must be at most 255 characters."],
    [{ expires_in: -1 }, "expires_in must be 0 to 9999999999."],
    [{ product_images: Array(6).fill("i") }, "product_images must be a list of at most 5 entries."],
    [{ product_images: ["i".repeat(2049)] }, "product_images must have entries of at most 2048 characters."],
  ])("%j: %s", async (more, message) => {
    const refused = await api.post("/v1/payment_links", { ...LINK, ...more });
    expectError(refused, { param: fieldIn(message), message });
  });

  test.each([
    ["/v1/quotes", { ...LINK, payment_method: "cash" }, "payment_method must be one of pix, card, ted."],
    ["/v1/quotes", { ...LINK, installments: 22 }, "installments must be 1 to 21."],
    ["/v1/quotes", { ...LINK, installments: 2 ** 40 }, "installments must be 1 to 21."],
    ["/v1/quotes/qt_1/accept", { name: "" }, "name must be 1 to 500 characters."],
    [
      "/v1/payment_intents",
      { ...LINK, settlement_term: "30" },
      "settlement_term must be D+N with N from 0 to 365, for example D+1.",
    ],
    [
      "/v1/payment_intents",
      { ...LINK, payer_country: "br" },
      "payer_country must be an ISO 3166-1 alpha-2 country code, for example BR.",
    ],
    [
      "/v1/payment_links/pl_1/simulate_payment",
      { outcome: "paid" },
      "outcome must be one of succeeded, failed, expired.",
    ],
    [
      "/v1/payment_links/pl_1/simulate_payment",
      { outcome: "failed", payment_method: "ted" },
      "payment_method must be pix or card.",
    ],
  ])("%s %j: %s", async (url, body, message) => {
    expectError(await api.post(url, body), { param: fieldIn(message), message });
  });

  test.each([
    ["from=2026-1-1&to=2026-01-31", "from must be a day, YYYY-MM-DD."],
    ["from=2026-01-01", "to is required: give both days, or one of link_id, reference and end_to_end_id."],
    ["from=2026-01-01&to=2026-01-31&limit=101", "limit must be 1 to 100."],
  ])("GET /v1/payments?%s: %s", async (query, message) => {
    expectError(await api.get(`/v1/payments?${query}`), { param: fieldIn(message), message });
  });
});
