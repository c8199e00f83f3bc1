import { describe, test } from "vitest";
import { Asked, VALID, type Operation } from "../support/asked.ts";
import { forFile } from "../support/for-file.ts";

const on = await forFile(Asked.start());

describe("wrong types: 400 invalid_request with the field as param", () => {
  const notInteger = [
    '"1"',
    "true",
    "null",
    "[]",
    "{}",
    "1.5",
    "1.0",
    "1e2",
    "-0",
    "9007199254740993",
    "1E400",
  ];
  const notString = ["1", "true", "null", "[]", "{}"];
  const notBoolean = ['"true"', "0", "1", "null", "[]", "{}"];
  const notWord = ["1", "0", "null", '""', '"PIX"', '"other"', '"unspecified"', "[]", "{}"];
  const notTexts = ['"a"', "null", "{}", "1", "[1]", "[null]", "[[]]"];
  const notWords = ['"pix"', "null", "{}", "1", "[1]", "[null]", '["other"]', '["unspecified"]'];
  const notObject = ["[]", '"a"', "null", "1", "true"];
  const fields: [Operation, Record<string, string[]>][] = [
    [
      "link",
      {
        amount: notInteger,
        currency: [...notString, '"EUR"', '"brl"', '""', '"BRL "'],
        reference: notString,
        payment_methods: [...notWords, "[]", '["pix","pix"]', '["ted"]'],
        max_installments: notInteger,
        fee_handling: notWord,
        expires_in: notInteger,
        campaign: notBoolean,
        description: notString,
        product_ref: notString,
        details: notString,
        product_images: notTexts,
        collect_fields: [...notWords, '["phone","phone"]', '["email"]'],
        metadata: notObject,
      },
    ],
    [
      "quote",
      {
        amount: notInteger,
        currency: [...notString, '"EUR"', '"usd"'],
        payment_method: notWord,
        installments: notInteger,
        fee_handling: notWord,
        payment_intent_id: notString,
      },
    ],
    [
      "accept",
      {
        name: [...notString, '""'],
        description: notString,
        media_urls: notTexts,
        expires_in: notInteger,
        campaign: notBoolean,
        reference: notString,
        metadata: notObject,
        payer_country: [...notString, '"br"', '"BRA"', '"ZZ"', '""', '"B\\u0052\\n"'],
      },
    ],
    [
      "intent",
      {
        legal_entity_id: notString,
        amount: notInteger,
        currency: [...notString, '"EUR"'],
        payer_country: [...notString, '"br"', '"ZZ"'],
        settlement_term: [
          ...notString,
          '"D1"',
          '"D+"',
          '"D+01"',
          '"D+366"',
          '"D+-1"',
          '"d+1"',
          '"D+1\\n"',
          '""',
        ],
        fee_strategy: notObject,
        metadata: notObject,
        reference: notString,
      },
    ],
    ["simulate", { outcome: notWord, payment_method: [...notWord, '"ted"'] }],
  ];
  const cases = fields.flatMap(([operation, table]) =>
    Object.entries(table).map(([field, values]) => [operation, field, values] as const),
  );
  test.each(cases)("%s %s", async (operation, field, values) => {
    const { [field]: _, ...rest } = VALID[operation] as Record<string, unknown>;
    const members = Object.entries(rest).map(([key, value]) => `"${key}":${JSON.stringify(value)}`);
    for (const value of values) {
      const body = `{${[...members, `"${field}":${value}`].join(",")}}`;
      await on.expectRefused(async () => await on.post(operation, body), { param: field });
    }
  });
});
