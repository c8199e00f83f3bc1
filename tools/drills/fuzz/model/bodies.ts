import fc from "fast-check";
import { freeObjects, texts } from "../texts.ts";
import type { Refusal } from "../contract.ts";
import type { JsonObject } from "./world.ts";

/** What is wrong with a body: the members put into it, and why it is refused. */
export interface Fault {
  readonly patch: JsonObject;
  /** Members left out. */
  readonly without?: readonly string[];
  readonly refusal: Refusal;
}

/** How a body of an operation is drawn. */
interface Bodies {
  readonly body: fc.Arbitrary<JsonObject>;
  readonly faults: readonly Fault[];
}

const amount = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1000, max: 500_000 }) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 300 }) },
  { weight: 1, arbitrary: fc.integer({ min: 999_000_000_000, max: 999_999_999_999 }) },
  { weight: 1, arbitrary: fc.integer({ min: 100_000_000, max: 200_000_000_000 }) },
);
const currency = fc.constantFrom("BRL", "USD");
const feeHandling = fc.constantFrom("absorb", "pass_through");
const expiresIn = fc.constantFrom(0, 1, 900, 1800, 86_400, 100_000);
const installments = fc.integer({ min: 1, max: 21 });
const country = fc.constantFrom("BR", "US", "PT");

const invalid = (param: string, ...values: JsonObject[string][]): Fault[] =>
  values.map((value) => ({ patch: { [param]: value }, refusal: { code: "invalid_request", param } }));
const missing = (name: string): Fault => ({
  patch: {},
  without: [name],
  refusal: { code: "invalid_request", param: name },
});
const unknown = (name: string): Fault => ({
  patch: { [name]: 1 },
  refusal: { code: "unknown_parameter", param: name },
});
const reserved: Fault = {
  patch: { metadata: { svc_id: 1 } },
  refusal: { code: "reserved_metadata_key", param: "svc_id" },
};
const tooManyKeys = invalid(
  "metadata",
  Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`key${index}`, index])),
  [],
  null,
);
const badMoney = [
  ...invalid("amount", 0, -1, 1.5, "1", 1_000_000_000_000, null),
  ...invalid("currency", "EUR", "brl", "", 986),
];
const badReference = invalid("reference", "x".repeat(256), 7);
const metadata = [reserved, ...tooManyKeys];

function record(
  required: Record<string, fc.Arbitrary<unknown>>,
  optional: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<JsonObject> {
  return fc.record(
    { ...required, ...optional },
    { requiredKeys: Object.keys(required), noNullPrototype: true },
  ) as fc.Arbitrary<JsonObject>;
}

const some = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(value, { maxLength: 3 });

/** `max_installments` belongs to a card, and a link without it must not have one. */
const withCardOnly = (body: JsonObject): JsonObject => {
  const { max_installments: most, ...rest } = body;
  const methods = (body["payment_methods"] ?? []) as readonly string[];
  return most === undefined || !methods.includes("card") ? rest : body;
};
/** `installments` belong to a card, or are the highest number where no method is named. */
const withSingles = (body: JsonObject): JsonObject => {
  const isSingle = body["payment_method"] === "pix" || body["payment_method"] === "ted";
  return isSingle && body["installments"] !== undefined ? { ...body, installments: 1 } : body;
};

export const LINK: Bodies = {
  body: record(
    { amount, currency },
    {
      reference: texts(255),
      payment_methods: fc.constantFrom(["pix"], ["card"], ["pix", "card"], ["card", "pix"]),
      max_installments: installments,
      fee_handling: feeHandling,
      expires_in: expiresIn,
      campaign: fc.boolean(),
      description: texts(500),
      product_ref: texts(255),
      details: texts(500),
      product_images: some(texts(2048)),
      collect_fields: fc.constantFrom([], ["phone"], ["address", "phone"]),
      metadata: freeObjects(),
    },
  ).map(withCardOnly),
  faults: [
    ...badMoney,
    ...badReference,
    ...metadata,
    missing("amount"),
    missing("currency"),
    unknown("Amount"),
    unknown("charge_currency"),
    unknown("constructor"),
    ...invalid("payment_methods", [], ["ted"], ["pix", "pix"], "pix", {}),
    ...invalid("max_installments", 0, 22, 2.5),
    {
      patch: { max_installments: 2, payment_methods: ["pix"] },
      refusal: { code: "invalid_request", param: "max_installments" },
    },
    ...invalid("fee_handling", "other", 1),
    ...invalid("expires_in", -1, "1", 1e10),
    ...invalid("campaign", "true", null),
    ...invalid("description", "x".repeat(501)),
    ...invalid("details", "x".repeat(501)),
    ...invalid("product_ref", "x".repeat(256)),
    ...invalid("product_images", ["", "", "", "", "", ""], [1]),
    ...invalid("collect_fields", ["email"], ["phone", "phone"]),
  ],
};

export const QUOTE: Bodies = {
  body: record(
    { amount, currency },
    {
      payment_method: fc.constantFrom("pix", "card", "card", "ted"),
      installments,
      fee_handling: feeHandling,
    },
  ).map(withSingles),
  faults: [
    ...badMoney,
    missing("amount"),
    missing("currency"),
    unknown("target_currency"),
    ...invalid("payment_method", "boleto", 1),
    ...invalid("installments", 0, 22),
    {
      patch: { payment_method: "pix", installments: 2 },
      refusal: { code: "invalid_request", param: "installments" },
    },
    ...invalid("fee_handling", "none"),
    { patch: { payment_intent_id: "pi_0" }, refusal: { code: "invalid_request", param: "amount" } },
  ],
};

/** What goes with an intent that is priced. */
export const INTENT_QUOTE: fc.Arbitrary<JsonObject> = record(
  {},
  { payment_method: fc.constantFrom("pix", "card", "ted"), installments },
).map(withSingles);

export const ACCEPT: Bodies = {
  body: record(
    { name: texts(500).filter((text) => text !== "") },
    {
      description: texts(500),
      expires_in: expiresIn,
      campaign: fc.boolean(),
      reference: texts(255),
      metadata: freeObjects(),
      payer_country: country,
    },
  ),
  faults: [
    missing("name"),
    ...invalid("name", "", "x".repeat(501), 1),
    ...invalid("description", "x".repeat(501)),
    ...invalid("media_urls", ["https://evil.example/a.png"]),
    ...invalid("expires_in", -1),
    ...badReference,
    ...metadata,
    ...invalid("payer_country", "ZZ", "br", "BRA"),
    unknown("amount"),
  ],
};

export const INTENT: Bodies = {
  body: record(
    { amount, currency },
    {
      payer_country: country,
      settlement_term: fc.constantFrom("D+0", "D+1", "D+30", "D+365"),
      fee_strategy: freeObjects(),
      metadata: freeObjects(),
      reference: texts(255),
    },
  ),
  faults: [
    ...badMoney,
    ...badReference,
    ...metadata,
    unknown("quote_id"),
    missing("amount"),
    missing("currency"),
    ...invalid("settlement_term", "D+366", "D-1", "1"),
    ...invalid("fee_strategy", [], 1),
    ...invalid("payer_country", "XX"),
  ],
};

export const SIMULATE: Bodies = {
  body: record(
    { outcome: fc.constantFrom("succeeded", "succeeded", "failed", "expired") },
    { payment_method: fc.constantFrom("pix", "card") },
  ),
  faults: [
    missing("outcome"),
    ...invalid("outcome", "paid", 1),
    ...invalid("payment_method", "ted", ""),
    unknown("amount"),
  ],
};
