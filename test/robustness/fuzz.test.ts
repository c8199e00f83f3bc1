import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../support/api.ts";
import { Asked, OPERATIONS, VALID, type Operation } from "../support/asked.ts";
import { expectError, REQUEST_ID } from "../support/error-answer.ts";

let on: Asked;
beforeAll(async () => {
  on = await Asked.start();
});
afterAll(async () => await on.close());

const expectContract = (answer: Answer): void => {
  if (answer.status < 300) {
    expect(answer.headers["x-request-id"]).toMatch(REQUEST_ID);
    return;
  }
  expect(answer.status).toBeLessThan(500);
  expectError(answer, {
    status: answer.status,
    code: expect.stringMatching(/^[a-z_]+$/),
    param: expect.toBeOneOf([null, expect.any(String)]),
  });
};

describe("random bodies are answered 2xx or 4xx, in the contract's shape", () => {
  const NAMES: Record<Operation, string[]> = {
    link: "amount currency reference payment_methods max_installments fee_handling expires_in campaign description product_ref details product_images collect_fields metadata".split(
      " ",
    ),
    quote: "amount currency payment_method installments fee_handling payment_intent_id".split(" "),
    accept: "name description media_urls expires_in campaign reference metadata payer_country".split(" "),
    intent:
      "legal_entity_id amount currency payer_country settlement_term fee_strategy metadata reference".split(
        " ",
      ),
    simulate: ["outcome", "payment_method"],
  };
  const likely = fc.constantFrom<unknown>(
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
  );
  const value = fc.oneof(
    { weight: 3, arbitrary: likely },
    fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }),
  );

  test.each(OPERATIONS)("%s: members of the contract with any values", async (operation) => {
    const members = fc.dictionary(fc.constantFrom(...NAMES[operation]), value, { maxKeys: 5 });
    const body = fc
      .tuple(members, fc.boolean())
      .map(([some, isBased]) => (isBased ? { ...VALID[operation], ...some } : some));
    await fc.assert(
      fc.asyncProperty(body, async (json) => expectContract(await on.post(operation, json))),
      { numRuns: 150 },
    );
  });

  test.each(OPERATIONS)("%s: any JSON and any bytes", async (operation) => {
    const json = fc.json({ maxDepth: 4, stringUnit: "binary" }).map((text) => Buffer.from(text));
    const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
    const damaged = fc.tuple(fc.nat(), fc.nat(255)).map(([at, byte]) => {
      const body = Buffer.from(JSON.stringify(VALID[operation]));
      body[at % body.length] = byte;
      return body;
    });
    await fc.assert(
      fc.asyncProperty(fc.oneof(json, bytes, damaged), async (body) => {
        expectContract(await on.postBytes(on.urls[operation], body));
      }),
      { numRuns: 150 },
    );
  });

  test("GET: any query and any id", async () => {
    const text = fc
      .string({ unit: "binary", maxLength: 30 })
      .filter((s) => s.isWellFormed())
      .map(encodeURIComponent);
    const raw = fc.string({ unit: fc.constantFrom(..."abc=&%?+20/;[]"), maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, raw), async (part) => {
        expectContract(await on.api.get(`/v1/payments?${part}`));
        expectContract(await on.api.get(`/v1/payments?from=${part}&to=2026-01-01&starting_after=${part}`));
        expectContract(await on.api.get(`/v1/payments/${part}`));
      }),
      { numRuns: 150 },
    );
  });
});
