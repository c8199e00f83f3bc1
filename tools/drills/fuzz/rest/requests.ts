import fc from "fast-check";
import { OPERATIONS, VALID, type Operation } from "../../../../test/support/asked.ts";
import { freeObjects, texts } from "../texts.ts";
import { anyForms, badForms } from "./json-forms.ts";

/** A request as it is sent, and whether it must be refused. */
export interface Hostile {
  readonly operation: Operation | "list" | "get";
  /** What comes after the address of a GET. */
  readonly query: string;
  readonly body: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly isBad: boolean;
  /** Members whose texts must come back as they are. */
  readonly exact: Readonly<Record<string, unknown>>;
}

const MEMBERS: Readonly<Record<Operation, readonly string[]>> = {
  link: [
    "amount",
    "currency",
    "reference",
    "payment_methods",
    "max_installments",
    "fee_handling",
    "expires_in",
    "campaign",
    "description",
    "product_ref",
    "details",
    "product_images",
    "collect_fields",
    "metadata",
  ],
  quote: ["amount", "currency", "payment_method", "installments", "fee_handling", "payment_intent_id"],
  accept: [
    "name",
    "description",
    "media_urls",
    "expires_in",
    "campaign",
    "reference",
    "metadata",
    "payer_country",
  ],
  intent: [
    "legal_entity_id",
    "amount",
    "currency",
    "payer_country",
    "settlement_term",
    "fee_strategy",
    "metadata",
    "reference",
  ],
  simulate: ["outcome", "payment_method"],
  refund: ["amount", "reason"],
};
const LIKELY: readonly unknown[] = [
  "BRL",
  "USD",
  "pix",
  "card",
  "absorb",
  "pass_through",
  "failed",
  "expired",
  true,
  1,
  21,
  100,
  15_990,
  999_999_999_999,
  ["pix", "card"],
  ["phone"],
  {},
  "BR",
  "D+1",
  [],
];
const PLAIN = { query: "", headers: {}, isBad: false, exact: {} };
const operation = fc.constantFrom(...OPERATIONS);

const badForm = operation.chain((of) =>
  badForms(VALID[of]).map((body): Hostile => ({ ...PLAIN, operation: of, body, isBad: true })),
);
const anyForm = operation.chain((of) =>
  anyForms(VALID[of]).map((body): Hostile => ({ ...PLAIN, operation: of, body })),
);

/** Members of the contract with values of any kind. */
const anyValues = operation.chain((of) => {
  const value = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...LIKELY) },
    fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }),
  );
  const members = fc.dictionary(fc.constantFrom(...MEMBERS[of]), value, { maxKeys: 5 });
  return fc
    .tuple(members, fc.boolean())
    .map(([some, isBased]) => (isBased ? { ...VALID[of], ...some } : some))
    .map((json): Hostile => ({ ...PLAIN, operation: of, body: Buffer.from(JSON.stringify(json)) }));
});

/** Headers that do not go with the request. */
const badHeaders = fc
  .constantFrom<Record<string, string>>(
    { "content-type": "text/plain" },
    { "content-type": "application/x-www-form-urlencoded" },
    { "content-type": "application/jsonp" },
    { "content-encoding": "gzip" },
    { authorization: "Bearer svc_test_unknown" },
    { authorization: "Basic dXNlcg==" },
    { authorization: "" },
    { "idempotency-key": "" },
    { "idempotency-key": "k".repeat(256) },
  )
  .chain((headers) =>
    operation
      .filter(
        (of) => of !== "simulate" || !("idempotency-key" in headers) || headers["idempotency-key"] !== "",
      )
      .map((of): Hostile => {
        const body = Buffer.from(JSON.stringify(VALID[of]));
        return { ...PLAIN, operation: of, body, headers, isBad: true };
      }),
  );

/** Texts of every kind where texts may be: they come back to the character. */
const exactTexts = fc
  .record(
    {
      reference: texts(255),
      description: texts(500),
      product_ref: texts(255),
      details: texts(500),
      product_images: fc.array(texts(2048), { maxLength: 5 }),
      metadata: freeObjects(),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .map((exact): Hostile => {
    const body = Buffer.from(JSON.stringify({ ...VALID.link, ...exact }));
    return { ...PLAIN, operation: "link", body, exact };
  });

const queries = fc
  .oneof(
    fc
      .string({ unit: "binary", maxLength: 30 })
      .filter((text) => text.isWellFormed())
      .map(encodeURIComponent),
    fc.string({ unit: fc.constantFrom(...Array.from("abc=&%?+20/;[]")), maxLength: 20 }),
    texts(60).map(encodeURIComponent),
  )
  .chain((part) =>
    fc.constantFrom<Hostile>(
      { ...PLAIN, operation: "list", body: null, query: `?${part}` },
      {
        ...PLAIN,
        operation: "list",
        body: null,
        query: `?from=${part}&to=2026-01-01&starting_after=${part}&limit=${part}`,
      },
      { ...PLAIN, operation: "get", body: null, query: `/${part}` },
    ),
  );

/** A few requests, one after the other. */
export const hostiles: fc.Arbitrary<Hostile[]> = fc.oneof(
  { weight: 4, arbitrary: fc.array(badForm, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.array(badHeaders, { minLength: 1, maxLength: 2 }) },
  { weight: 2, arbitrary: fc.array(anyForm, { minLength: 1, maxLength: 3 }) },
  { weight: 3, arbitrary: fc.array(anyValues, { minLength: 1, maxLength: 3 }) },
  { weight: 3, arbitrary: exactTexts.map((text) => [text]) },
  { weight: 1, arbitrary: fc.array(queries, { minLength: 1, maxLength: 3 }) },
);
