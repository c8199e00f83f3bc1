import fc from "fast-check";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Api, type Answer } from "../support/api.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError, REQUEST_ID } from "../support/error-answer.ts";
import { readAnswers, sendRaw } from "../support/raw-http.ts";
import { MEDIA_BASE, startService, type TestService, type TestTenant } from "../support/service.ts";

let service: TestService;
let rows: DatabaseRows;
let tenant: TestTenant;
let api: Api;
let urls: Record<Operation, string>;
beforeAll(async () => {
  service = await startService();
  rows = await new DatabaseRows(service.databaseUrl).open();
  tenant = await service.createTenant();
  api = new Api(service, tenant.testKey);
  urls = await freshUrls();
});
afterAll(async () => {
  await rows.close();
  await service.close();
});

type Operation = "link" | "quote" | "accept" | "intent" | "simulate";
const OPERATIONS: Operation[] = ["link", "quote", "accept", "intent", "simulate"];

/** Bodies that succeed, so that what is refused is refused for the one thing that differs. */
const VALID: Record<Operation, object> = {
  link: { amount: 15_990, currency: "BRL" },
  quote: { amount: 15_990, currency: "BRL", payment_method: "card" },
  accept: { name: "Shoes" },
  intent: { amount: 15_990, currency: "BRL" },
  simulate: { outcome: "failed" },
};

async function freshUrls(): Promise<Record<Operation, string>> {
  const quote = await api.post("/v1/quotes", VALID.quote);
  const link = await api.post("/v1/payment_links", { ...VALID.link, payment_methods: ["pix", "card"] });
  return {
    link: "/v1/payment_links",
    quote: "/v1/quotes",
    accept: `/v1/quotes/${quote.body.id}/accept`,
    intent: "/v1/payment_intents",
    simulate: `/v1/payment_links/${link.body.id}/simulate_payment`,
  };
}

interface Refusal {
  readonly status?: number;
  readonly code?: string;
  readonly param?: string | null;
}

/** The answer is a clear refusal, and not one row more stands in the database. */
async function expectRefused(ask: () => Promise<Answer>, refusal: Refusal): Promise<void> {
  const before = await rows.countAll("test");
  expectError(await ask(), { status: 400, code: "invalid_request", ...refusal });
  expect(await rows.countAll("test")).toEqual(before);
}

const post = (operation: Operation, body: unknown): Promise<Answer> => api.post(urls[operation], body);

/** A valid body's text with another member. */
const withMember = (operation: Operation, member: string): string =>
  `${JSON.stringify(VALID[operation]).slice(0, -1)},${member}}`;

test.each(OPERATIONS)("the body that the others differ from is accepted: %s", async (operation) => {
  const fresh = await freshUrls();
  const answer = await api.post(fresh[operation], VALID[operation]);
  expect(answer.status).toBe(operation === "simulate" ? 200 : 201);
});

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
      await expectRefused(async () => await post(operation, body), { param: field });
    }
  });
});

describe("limits, one past the edge: 400 invalid_request with the field as param", () => {
  const text = (length: number): string => "é".repeat(length);
  const images = (count: number): string[] =>
    Array.from({ length: count }, () => "https://img.example.test/a");
  const media = (count: number): string[] => Array.from({ length: count }, () => `${MEDIA_BASE}/a.png`);
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
  const card = { payment_methods: ["card"] };
  const edges: [Operation, string, object, object[]][] = [
    ["link", "amount", { amount: 999_999_999_999 }, [{ amount: 0 }, { amount: -1 }, { amount: 1e12 }]],
    ["link", "reference", { reference: text(255) }, [{ reference: text(256) }]],
    ["link", "description", { description: text(500) }, [{ description: text(501) }]],
    ["link", "product_ref", { product_ref: text(255) }, [{ product_ref: text(256) }]],
    ["link", "details", { details: text(500) }, [{ details: text(501) }]],
    [
      "link",
      "max_installments",
      { ...card, max_installments: 21 },
      [{ ...card, max_installments: 22 }, { ...card, max_installments: 0 }, { max_installments: 1 }],
    ],
    ["link", "expires_in", { expires_in: 0 }, [{ expires_in: -1 }, { expires_in: 1e10 }]],
    [
      "link",
      "product_images",
      { product_images: images(5) },
      [{ product_images: images(6) }, { product_images: [text(2049)] }],
    ],
    ["link", "metadata", { metadata: keys(20) }, [{ metadata: keys(21) }]],
    ["quote", "amount", { amount: 999_999_999_999 }, [{ amount: 0 }, { amount: -1 }, { amount: 1e12 }]],
    [
      "quote",
      "installments",
      { installments: 21 },
      [{ installments: 22 }, { installments: 0 }, { installments: 2 ** 31 }],
    ],
    ["accept", "name", { name: text(500) }, [{ name: text(501) }, { name: "" }]],
    ["accept", "description", { description: text(500) }, [{ description: text(501) }]],
    ["accept", "media_urls", { media_urls: media(5) }, [{ media_urls: media(6) }]],
    ["accept", "reference", { reference: text(255) }, [{ reference: text(256) }]],
    ["accept", "metadata", { metadata: keys(20) }, [{ metadata: keys(21) }]],
    ["accept", "expires_in", { expires_in: 0 }, [{ expires_in: -1 }]],
    ["intent", "amount", { amount: 999_999_999_999 }, [{ amount: 0 }, { amount: -1 }, { amount: 1e12 }]],
    ["intent", "reference", { reference: text(255) }, [{ reference: text(256) }]],
    ["intent", "metadata", { metadata: keys(20) }, [{ metadata: keys(21) }]],
    ["intent", "settlement_term", { settlement_term: "D+365" }, [{ settlement_term: "D+366" }]],
  ];
  test.each(edges)("%s %s", async (operation, param, edge, beyond) => {
    for (const other of beyond) {
      await expectRefused(async () => await post(operation, { ...VALID[operation], ...other }), { param });
    }
    const fresh = await freshUrls();
    expect((await api.post(fresh[operation], { ...VALID[operation], ...edge })).status).toBe(201);
  });

  test("a character is one character, whatever it takes in UTF-16", async () => {
    const reference = "😀".repeat(255);
    const answer = await post("link", { ...VALID.link, reference });
    expect([answer.status, answer.body.reference]).toEqual([201, reference]);
    await expectRefused(async () => await post("link", { ...VALID.link, reference: `${reference}😀` }), {
      param: "reference",
    });
  });

  const missing: [Operation, string][] = [
    ["link", "amount"],
    ["link", "currency"],
    ["quote", "amount"],
    ["quote", "currency"],
    ["accept", "name"],
    ["intent", "amount"],
    ["intent", "currency"],
    ["simulate", "outcome"],
  ];
  test.each(missing)("%s without its required %s", async (operation, param) => {
    const body = Object.fromEntries(Object.entries(VALID[operation]).filter(([key]) => key !== param));
    await expectRefused(async () => await post(operation, body), { param });
  });

  test("media_urls outside the media base", async () => {
    const outside = [
      "https://elsewhere.example.test/a.png",
      `${MEDIA_BASE}.evil.test/a.png`,
      `${MEDIA_BASE}-other/a.png`,
      `${MEDIA_BASE}/../a.png`,
      `${MEDIA_BASE}/%2e%2e/a.png`,
      "javascript:alert(1)",
      "",
    ];
    for (const url of outside) {
      await expectRefused(async () => await post("accept", { ...VALID.accept, media_urls: [url] }), {
        param: "media_urls",
      });
    }
  });

  test("a quote by amount and by intent at once, pix in two installments", async () => {
    const both = { amount: 1, currency: "BRL", payment_intent_id: "pi_x" };
    await expectRefused(async () => await post("quote", both), { param: "amount" });
    const twice = { ...VALID.quote, payment_method: "pix", installments: 2 };
    await expectRefused(async () => await post("quote", twice), { param: "installments" });
  });
});

describe("an unknown key in the body returns 400 unknown_parameter with error.param set to the key name", () => {
  const names = [
    "x",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "$typeName",
    "$unknown",
    "",
    "Amount",
    "paymentMethods",
    "target_currency",
    "charge_currency",
    "merchant_payout_currency",
    "mode",
    "tenant_id",
    "id",
    "quote_id",
    "ключ",
  ];
  test.each(OPERATIONS)("%s", async (operation) => {
    for (const name of names) {
      const body = withMember(operation, `${JSON.stringify(name)}:{"a":1}`);
      await expectRefused(async () => await post(operation, body), {
        code: "unknown_parameter",
        param: name,
      });
    }
  });

  test("it is told before what is wrong with other fields", async () => {
    for (const wrong of [{ amount: 0, currency: "EUR" }, { amount: "a" }, { payment_methods: ["x"] }]) {
      const body = { ...wrong, x: 1 };
      await expectRefused(async () => await post("link", body), { code: "unknown_parameter", param: "x" });
    }
  });
});

describe("metadata", () => {
  test("keys that JavaScript's objects have are keys like others", async () => {
    const text =
      '{"constructor":{"prototype":{"a":1}},"toString":"x","toJSON":1,"hasOwnProperty":null,"valueOf":[],"prototype":{},"then":1}';
    for (const operation of ["link", "intent"] as const) {
      const answer = await post(operation, withMember(operation, `"metadata":${text}`));
      expect(answer.status).toBe(201);
      expect(answer.text).toContain(`"metadata":${text}`);
    }
    expect(Object.hasOwn(Object.prototype, "a")).toBe(false);
  });

  const refused: [string, string][] = [
    ["__proto__", '{"__proto__":1}'],
    ["__proto__ further in", '{"a":[{"b":{"__proto__":{"c":1}}}]}'],
    ["__proto__ spelled with escapes", '{"\\u005f_proto__":1}'],
    ["NUL in a key", '{"a\\u0000":1}'],
    ["NUL in a value", '{"a":{"b":["\\u0000"]}}'],
    ["a lone surrogate in a key", '{"\\ud800":1}'],
    ["a lone surrogate in a value", '{"a":"\\udc00\\ud800"}'],
    ["2^53+1", '{"a":9007199254740993}'],
    ["2^53+1 further in", '{"a":{"b":[9007199254740993]}}'],
    ["-2^53-1", '{"a":-9007199254740993}'],
    ["an endless number", '{"a":1e400}'],
    ["a duplicate key", '{"a":1,"a":1}'],
    ["a duplicate key further in", '{"a":{"b":[{"c":1,"c":2}]}}'],
    ["a duplicate key spelled with escapes", '{"a":1,"\\u0061":2}'],
    ["nesting of 33 with the body's own", `{"a":${"[".repeat(31)}${"]".repeat(31)}}`],
    ["a control character", '{"a":"\t"}'],
    ["NaN", '{"a":NaN}'],
    ["a comment", '{"a":1/**/}'],
    ["a trailing comma", '{"a":1,}'],
    ["a leading zero", '{"a":01}'],
    ["a bare minus", '{"a":-}'],
    ["an unknown escape", '{"a":"\\x"}'],
    ["a short escape", '{"a":"\\u12"}'],
    ["single quotes", "{'a':1}"],
  ];
  test.each(refused)("with %s: 400 invalid_request, param metadata", async (_, text) => {
    const body = withMember("link", `"metadata":${text}`);
    await expectRefused(async () => await post("link", body), { param: "metadata" });
  });

  test("nesting of 32 with the body's own is accepted and returned", async () => {
    const text = `{"a":${"[".repeat(30)}${"]".repeat(30)}}`;
    const answer = await post("link", withMember("link", `"metadata":${text}`));
    expect(answer.status).toBe(201);
    expect(answer.text).toContain(`"metadata":${text}`);
  });

  test("2^53-1 and decimals are accepted and returned", async () => {
    const text = '{"a":9007199254740991,"b":-9007199254740991,"c":0.1,"d":1e-7}';
    const answer = await post("link", withMember("link", `"metadata":${text}`));
    expect(answer.status).toBe(201);
    expect(answer.text).toContain(`"metadata":${text}`);
  });

  test.each(["link", "accept", "intent"] as const)(
    "A key with that prefix sent by the integrator returns 400 reserved_metadata_key with param set to that key: %s",
    async (operation) => {
      for (const key of ["svc_", "svc_order"]) {
        const body = { ...VALID[operation], metadata: { a: 1, [key]: 1 } };
        await expectRefused(async () => await post(operation, body), {
          code: "reserved_metadata_key",
          param: key,
        });
      }
    },
  );
});

describe("bodies that are not one JSON object of the contract: 400 invalid_request", () => {
  const bodies: [string, string | Buffer, string | null][] = [
    ["nothing", "", null],
    ["blanks", " \n", null],
    ["null", "null", null],
    ["an array", "[]", null],
    ["an array of a valid body", JSON.stringify([VALID.link]), null],
    ["a string", '"a"', null],
    ["a number", "1", null],
    ["true", "true", null],
    ["a truncated object", '{"amount":15990,"currency":"BRL"', "currency"],
    ["a truncated string", '{"amount":15990,"currency":"BR', "currency"],
    ["a truncated word", '{"campaign":tru', "campaign"],
    ["an open brace", "{", null],
    ["two values", `${JSON.stringify(VALID.link)}{}`, null],
    ["a trailing NUL", `${JSON.stringify(VALID.link)}\0`, null],
    ["a duplicate key", '{"amount":15990,"amount":15990,"currency":"BRL"}', "amount"],
    ["a NUL in a string", '{"amount":1,"currency":"BRL","reference":"a\\u0000"}', "reference"],
    ["a lone surrogate", '{"amount":1,"currency":"BRL","reference":"\\ud83d"}', "reference"],
    ["a byte order mark", Buffer.from(`\uFEFF${JSON.stringify(VALID.link)}`), null],
    ["UTF-16", Buffer.from(JSON.stringify(VALID.link), "utf16le"), null],
    ["invalid UTF-8", Buffer.from('{"reference":"\xff"}', "latin1"), null],
    ["an overlong encoding", Buffer.from('{"reference":"\xc0\xaf"}', "latin1"), null],
    ["a surrogate in UTF-8", Buffer.from('{"reference":"\xed\xa0\x80"}', "latin1"), null],
    ["a truncated character", Buffer.from('{"reference":"\xe2\x82', "latin1"), null],
    ["nesting without end", "[".repeat(60_000), null],
  ];
  test.each(bodies)("%s", async (_, body, param) => {
    for (const operation of OPERATIONS) {
      const ask = async (): Promise<Answer> => await postBytes(urls[operation], Buffer.from(body));
      await expectRefused(ask, { param });
    }
  });
});

async function postBytes(
  url: string,
  payload: Buffer,
  headers: Record<string, string | undefined> = {},
): Promise<Answer> {
  const sent = {
    authorization: `Bearer ${tenant.testKey}`,
    "idempotency-key": randomUUID(),
    "content-type": "application/json",
    ...headers,
  };
  const given = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const response = await service.gateway.inject({
    method: "POST",
    url,
    headers: Object.fromEntries(given),
    payload,
  });
  const { statusCode: status, body: text } = response;
  return { status, headers: response.headers, text, body: JSON.parse(text) };
}

describe("media type and size", () => {
  const valid = Buffer.from(JSON.stringify(VALID.link));
  const types = [
    undefined,
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/xml",
    "application/jsonp",
    "application/json; charset=iso-8859-1",
    "text/json",
    "application/json, text/plain",
  ];
  test.each(types)("415 for the content type %s", async (type) => {
    await expectRefused(async () => await postBytes(urls.link, valid, { "content-type": type }), {
      status: 415,
      code: "unsupported_media_type",
    });
  });

  test("415 for a content encoding", async () => {
    await expectRefused(async () => await postBytes(urls.link, valid, { "content-encoding": "gzip" }), {
      status: 415,
      code: "unsupported_media_type",
    });
  });

  test.each(["application/json", "Application/JSON; charset=UTF-8", 'application/json;charset="utf-8"'])(
    "201 for the content type %s",
    async (type) => {
      expect((await postBytes(urls.link, valid, { "content-type": type })).status).toBe(201);
    },
  );

  test("413 for a body of 64 KiB and a byte, 201 for one of 64 KiB", async () => {
    const sized = (size: number): Buffer => Buffer.from(JSON.stringify(VALID.link).padEnd(size));
    for (const operation of OPERATIONS) {
      await expectRefused(async () => await postBytes(urls[operation], sized(65_537)), {
        status: 413,
        code: "payload_too_large",
      });
    }
    expect((await postBytes(urls.link, sized(65_536))).status).toBe(201);
  });
});

describe("addresses", () => {
  test.each(["%zz", "%", "%f", "%ff", "%c0%af", "%ed%a0%80"])(
    "400 for the bad percent escape %s",
    async (id) => {
      await expectRefused(async () => await api.get(`/v1/payments/${id}`), {});
      await expectRefused(async () => await api.post(`/v1/quotes/${id}/accept`, VALID.accept), {});
      await expectRefused(async () => await api.get(`/v1/payments?from=${id}`), {});
    },
  );

  test.each(["%00", "pay_%00", "%0d%0a", "%20", "pay_%F0%9F%98%80", "x".repeat(10_000), "%25zz"])(
    "404 for the id %s, which nothing can have",
    async (id) => {
      const unknown = { status: 404, code: "payment_not_found" };
      await expectRefused(async () => await api.get(`/v1/payments/${id}`), unknown);
      const quote = await api.post(`/v1/quotes/${id}/accept`, VALID.accept);
      expectError(quote, { status: 404, code: "quote_not_found" });
      const link = await api.post(`/v1/payment_links/${id}/simulate_payment`, VALID.simulate);
      expectError(link, { status: 404, code: "payment_link_not_found" });
    },
  );

  test("404 for addresses beside the contract's", async () => {
    for (const url of ["/v1", "/v1/payments/a/b", "/V1/payments", "/v2/payments", "/v1/payment_links/pl_x"]) {
      await expectRefused(async () => await api.get(url), { status: 404, code: "not_found" });
    }
  });
});

describe("query parameters", () => {
  const PERIOD = "from=2026-01-01&to=2026-01-31";
  const refused: [string, Refusal][] = [
    ["", { param: "from" }],
    ["from=2026-01-01", { param: "to" }],
    ["to=2026-01-01", { param: "from" }],
    ["from=&to=2026-01-31", { param: "from" }],
    ["from=2026-02-30&to=2026-03-01", { param: "from" }],
    ["from=2026-13-01&to=2026-03-01", { param: "from" }],
    ["from=0000-01-01&to=2026-03-01", { param: "from" }],
    ["from=2026-1-1&to=2026-03-01", { param: "from" }],
    ["from=2026-01-01T00:00:00Z&to=2026-03-01", { param: "from" }],
    ["from=2026-01-01%0a&to=2026-03-01", { param: "from" }],
    ["from=2026-01-01&to=2026-02-29", { param: "to" }],
    ["from=2026-02-01&to=2026-01-31", { param: "from" }],
    [`${PERIOD}&limit=0`, { param: "limit" }],
    [`${PERIOD}&limit=-1`, { param: "limit" }],
    [`${PERIOD}&limit=101`, { param: "limit" }],
    [`${PERIOD}&limit=4294967297`, { param: "limit" }],
    [`${PERIOD}&limit=01`, { param: "limit" }],
    [`${PERIOD}&limit=1e1`, { param: "limit" }],
    [`${PERIOD}&limit=1.0`, { param: "limit" }],
    [`${PERIOD}&limit=+1`, { param: "limit" }],
    [`${PERIOD}&limit=%201`, { param: "limit" }],
    [`${PERIOD}&limit=0x1`, { param: "limit" }],
    [`${PERIOD}&limit=`, { param: "limit" }],
    [`${PERIOD}&limit`, { param: "limit" }],
    [`${PERIOD}&limit=%D9%A1`, { param: "limit" }],
    [`${PERIOD}&limit=1&limit=1`, { param: "limit" }],
    [`${PERIOD}&from=2026-01-01`, { param: "from" }],
    [`${PERIOD}&fro%6d=2026-01-01`, { param: "from" }],
    [`${PERIOD}&starting_after=`, { param: "starting_after" }],
    [`${PERIOD}&starting_after=pay_x`, { param: "starting_after" }],
    [`${PERIOD}&starting_after=${"a".repeat(65)}`, { param: "starting_after" }],
    [`${PERIOD}&starting_after=%00`, { param: null }],
    [`${PERIOD}&status=succeeded`, { code: "unknown_parameter", param: "status" }],
    [`${PERIOD}&x`, { code: "unknown_parameter", param: "x" }],
    [`${PERIOD}&limit[]=1`, { code: "unknown_parameter", param: "limit[]" }],
    [`${PERIOD}&__proto__=1`, { code: "unknown_parameter", param: "__proto__" }],
    [`${PERIOD}&constructor=1`, { code: "unknown_parameter", param: "constructor" }],
    [`${PERIOD}&startingAfter=a`, { code: "unknown_parameter", param: "startingAfter" }],
    [`${PERIOD}&=1`, { code: "unknown_parameter", param: "" }],
  ];
  test.each(refused)("GET /v1/payments?%s", async (query, refusal) => {
    await expectRefused(async () => await api.get(`/v1/payments?${query}`), refusal);
  });

  test("the edges are accepted: limit 1 and 100, one day, the first year", async () => {
    for (const query of [
      `${PERIOD}&limit=1`,
      `${PERIOD}&limit=100`,
      "from=2026-01-01&to=2026-01-01",
      "from=0001-01-01&to=9999-12-31",
    ]) {
      expect((await api.get(`/v1/payments?${query}`)).status).toBe(200);
    }
  });

  test("any other endpoint takes none: 400 unknown_parameter", async () => {
    const unknown = { code: "unknown_parameter", param: "amount" };
    await expectRefused(async () => await api.get("/v1/payments/pay_x?amount=1"), unknown);
    for (const operation of OPERATIONS) {
      const ask = async (): Promise<Answer> =>
        await api.post(`${urls[operation]}?amount=1`, VALID[operation]);
      await expectRefused(ask, unknown);
    }
  });
});

describe("Idempotency-Key", () => {
  const REQUIRED: Operation[] = ["link", "quote", "accept", "intent"];
  const ask = (operation: Operation, idempotencyKey: string | null): Promise<Answer> =>
    api.post(urls[operation], VALID[operation], { idempotencyKey });

  test.each(REQUIRED)("Missing or empty: 400 missing_idempotency_key, %s", async (operation) => {
    for (const key of [null, ""]) {
      await expectRefused(async () => await ask(operation, key), { code: "missing_idempotency_key" });
    }
  });

  test.each(OPERATIONS)("Longer than 255 characters: 400 invalid_idempotency_key, %s", async (operation) => {
    for (const key of ["k".repeat(256), "é".repeat(256), "k".repeat(10_000)]) {
      await expectRefused(async () => await ask(operation, key), { code: "invalid_idempotency_key" });
    }
  });

  test.each(["k".repeat(255), "é".repeat(255), "1", "a b", "ÿ\u0080"])(
    "Any unique string is accepted: %s",
    async (key) => {
      expect((await ask("intent", key)).status).toBe(201);
      const again = await ask("intent", key);
      expect([again.status, again.headers["idempotent-replay"]]).toEqual([201, "true"]);
    },
  );
});

describe("order of checks: authentication, scope, idempotency header, media type, JSON, unknown keys, limits", () => {
  /** Everything is wrong; each step mends the first of it. */
  test.each(OPERATIONS)("%s", async (operation) => {
    const { key: weak } = await service.createKey(tenant.id, "test", ["payments:read"]);
    const other = await service.createKey(tenant.id, "test");
    const body = JSON.stringify({ ...VALID[operation], outcome: 1, name: 1, amount: "x" });
    const broken = {
      authorization: "Bearer svc_test_nobody",
      "idempotency-key": "k".repeat(256),
      "content-type": "text/plain",
    };
    const scoped = { ...broken, authorization: `Bearer ${weak}` };
    const allowed = { ...broken, authorization: `Bearer ${other.key}` };
    const keyed = { ...allowed, "idempotency-key": randomUUID() };
    const typed = { ...keyed, "content-type": "application/json" };
    const wrongField = {
      link: "amount",
      quote: "amount",
      accept: "name",
      intent: "amount",
      simulate: "outcome",
    };
    const known = JSON.stringify({
      ...VALID[operation],
      [wrongField[operation]]: operation === "accept" ? "" : 0,
    });
    const steps: [Record<string, string>, string, Refusal][] = [
      [broken, `${body}}`, { status: 401, code: "invalid_api_key" }],
      [scoped, `${body}}`, { status: 403, code: "insufficient_scope" }],
      [allowed, `${body}}`, { code: "invalid_idempotency_key" }],
      [keyed, `${body}}`, { status: 415, code: "unsupported_media_type" }],
      [typed, `${known.slice(0, -1)},"x":1}}`, { code: "invalid_request", param: null }],
      [typed, `${known.slice(0, -1)},"x":1}`, { code: "unknown_parameter", param: "x" }],
      [typed, known, { code: "invalid_request", param: wrongField[operation] }],
    ];
    for (const [headers, text, refusal] of steps) {
      await expectRefused(async () => await postBytes(urls[operation], Buffer.from(text), headers), refusal);
    }
  });

  test("a live key may not simulate, before the key's header and the body are looked at", async () => {
    const headers = { authorization: `Bearer ${tenant.liveKey}`, "idempotency-key": "k".repeat(256) };
    await expectRefused(async () => await postBytes(urls.simulate, Buffer.from("{"), headers), {
      status: 403,
      code: "not_available_in_live",
    });
  });

  test("limits before the lookup of the idempotency key, the lookup before business rules", async () => {
    const url = urls.link;
    await api.post(url, VALID.link, { idempotencyKey: "used" });
    const limit = await api.post(url, { ...VALID.link, amount: 0 }, { idempotencyKey: "used" });
    expectError(limit, { status: 400, code: "invalid_request", param: "amount" });
    const reuse = await api.post(url, { ...VALID.link, amount: 1 }, { idempotencyKey: "used" });
    expectError(reuse, { status: 409, code: "idempotency_key_reuse" });
  });
});

describe("credentials: 401 invalid_api_key", () => {
  const invalid: [string, () => Record<string, string | undefined>][] = [
    ["none", () => ({ authorization: undefined })],
    ["an empty one", () => ({ authorization: "" })],
    ["no scheme", () => ({ authorization: tenant.testKey })],
    ["another scheme", () => ({ authorization: `Basic ${tenant.testKey}` })],
    ["two schemes", () => ({ authorization: `Bearer Bearer ${tenant.testKey}` })],
    ["two keys", () => ({ authorization: `Bearer ${tenant.testKey}, Bearer ${tenant.testKey}` })],
    [
      "the other prefix",
      () => ({ authorization: `Bearer ${tenant.testKey.replace("svc_test_", "svc_live_")}` }),
    ],
    ["upper case", () => ({ authorization: `Bearer ${tenant.testKey.toUpperCase()}` })],
    ["a character more", () => ({ authorization: `Bearer ${tenant.testKey}a` })],
    ["a character less", () => ({ authorization: `Bearer ${tenant.testKey.slice(0, -1)}` })],
    ["a long one", () => ({ authorization: `Bearer svc_test_${"a".repeat(8000)}` })],
    ["the core's token", () => ({ authorization: `${service.internal.headers["authorization"]}` })],
  ];
  test.each(invalid)("%s", async (_, headers) => {
    const refusal = { status: 401, code: "invalid_api_key" };
    await expectRefused(async () => await postBytes(urls.link, Buffer.from("{}"), headers()), refusal);
  });

  test("headers of internal callers give nothing", async () => {
    const other = await service.createTenant();
    const period = "from=2026-01-01&to=2026-12-31";
    const { status, headers, body } = await new Api(service, other.testKey).get(`/v1/payments?${period}`, {
      "paylink-tenant": tenant.id,
      "paylink-mode": "live",
      "paylink-request-id": "req_mine",
    });
    expect(status).toBe(200);
    expect(body.data).toEqual([]);
    expect(headers["x-request-id"]).toMatch(REQUEST_ID);
  });
});

describe("headers sent twice", () => {
  let port: number;
  beforeAll(async () => {
    port = Number(new URL(await service.gateway.listen({ host: "127.0.0.1", port: 0 })).port);
  });

  const ask = async (...lines: string[]): Promise<Answer> => {
    const body = JSON.stringify(VALID.link);
    const head = [
      `POST ${urls.link} HTTP/1.1`,
      "Host: a",
      "Connection: close",
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      ...lines,
    ];
    const [answer] = readAnswers(await sendRaw(port, `${head.join("\r\n")}\r\n\r\n${body}`));
    if (!answer) throw new Error("no answer");
    return { ...answer, body: JSON.parse(answer.text) };
  };

  test("two Authorization headers: 401 invalid_api_key, be they equal or not", async () => {
    const bearer = `Authorization: Bearer ${tenant.testKey}`;
    for (const other of [bearer, `authorization: Bearer ${tenant.liveKey}`, "AUTHORIZATION:"]) {
      await expectRefused(async () => await ask(bearer, "Idempotency-Key: a", other), {
        status: 401,
        code: "invalid_api_key",
      });
    }
  });

  test("two Idempotency-Key headers: 400 invalid_idempotency_key, be they equal or not", async () => {
    const bearer = `Authorization: Bearer ${tenant.testKey}`;
    for (const other of ["Idempotency-Key: a", "idempotency-key: b", "IDEMPOTENCY-KEY:"]) {
      await expectRefused(async () => await ask(bearer, "Idempotency-Key: a", other), {
        code: "invalid_idempotency_key",
      });
    }
  });

  test("one of each, with blanks around the values, is accepted", async () => {
    const { status } = await ask(
      `Authorization: \t Bearer ${tenant.testKey}  `,
      "Idempotency-Key: \t blanks  ",
    );
    expect(status).toBe(201);
    const again = await api.post(urls.link, VALID.link, { idempotencyKey: "blanks" });
    expect([again.status, again.headers["idempotent-replay"]]).toEqual([201, "true"]);
  });
});

describe("random bodies are answered 2xx or 4xx, in the contract's shape", () => {
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
      fc.asyncProperty(body, async (json) => expectContract(await post(operation, json))),
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
        expectContract(await postBytes(urls[operation], body));
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
        expectContract(await api.get(`/v1/payments?${part}`));
        expectContract(await api.get(`/v1/payments?from=${part}&to=2026-01-01&starting_after=${part}`));
        expectContract(await api.get(`/v1/payments/${part}`));
      }),
      { numRuns: 150 },
    );
  });
});
