import fc from "fast-check";
import pg from "pg";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startService, type TestService, type TestTenant } from "../support/service.ts";

const TABLES = [
  "payment_link",
  "quote",
  "price",
  "payment_intent",
  "payment",
  "fx_rate_history",
  "idempotency",
];
const QUOTE_ID = "qt_01jd0000000000000000000000";
const LINK_ID = "pl_01jd0000000000000000000000";
const POSTS = [
  "/v1/payment_links",
  "/v1/quotes",
  `/v1/quotes/${QUOTE_ID}/accept`,
  "/v1/payment_intents",
  `/v1/payment_links/${LINK_ID}/simulate_payment`,
];

let service: TestService;
let tenant: TestTenant;
let database: pg.Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.createTenant();
  database = new pg.Client({ connectionString: service.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await service.close();
});

async function rows(): Promise<number[]> {
  const counts = TABLES.map((table) => `(SELECT count(*)::int FROM test.${table})`).join(", ");
  const result = await database.query<{ counts: number[] }>(`SELECT ARRAY[${counts}] AS counts`);
  return result.rows[0]?.counts ?? [];
}

async function post(url: string, payload: string | Buffer, headers: Record<string, string> = {}) {
  const response = await service.gateway.inject({
    method: "POST",
    url,
    payload,
    headers: {
      authorization: `Bearer ${tenant.testKey}`,
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
      ...headers,
    },
  });
  return { status: response.statusCode, headers: response.headers, body: response.json() };
}

type Posted = Awaited<ReturnType<typeof post>>;

function expectRefused(
  { status, headers, body }: Posted,
  expected: number,
  code: string,
  param?: string | null,
) {
  expect({ status, code: body.error.code }).toEqual({ status: expected, code });
  expect(body.error).toEqual({
    code,
    message: expect.stringMatching(/^.+\.$/s),
    param: param === undefined ? body.error.param : param,
    request_id: headers["x-request-id"],
  });
  expect(headers["x-request-id"]).toMatch(/^req_[0-9a-z]{26}$/);
}

async function expectNothingWritten(work: () => Promise<void>): Promise<void> {
  const before = await rows();
  await work();
  expect(await rows()).toEqual(before);
}

const WRONG_VALUES = [
  "null",
  "true",
  "[]",
  "{}",
  '"x"',
  "1.5",
  "1e2",
  "-0",
  "1.0",
  "9007199254740993",
  "1e400",
  '""',
  "-1",
];
const FIELDS: Record<string, Record<string, string[]>> = {
  "/v1/payment_links": {
    amount: [
      "null",
      "true",
      "[]",
      "{}",
      '"1"',
      "1.5",
      "1e2",
      "-0",
      "1.0",
      "9007199254740993",
      "0",
      "-1",
      "1000000000000",
    ],
    currency: ["null", "1", "true", '"brl"', '""', "[]"],
    reference: ["null", "1", "true", "[]", "{}"],
    payment_methods: ["null", '"pix"', "[1]", "[null]", '[["pix"]]', "{}"],
    max_installments: ["null", '"3"', "3.0", "0", "22", "4294967297"],
    fee_handling: ["null", "1", '"ABSORB"', '"unspecified"', '"constructor"'],
    expires_in: ["null", '"1"', "-1", "1e3", "99999999999"],
    campaign: ["null", "0", '"true"', "[]"],
    description: ["null", "1", "{}"],
    product_images: ["null", '"x"', "[1]", "[null]", "{}"],
    collect_fields: ["null", '"phone"', '["email"]', "[0]"],
    metadata: [
      "null",
      '"x"',
      "[]",
      "1",
      '{"n":9007199254740993}',
      '{"n":1e400}',
      '{"__proto__":1}',
      '{"a":{"__proto__":1}}',
    ],
  },
};

describe("wrong types and limits are 400 with the field as param, and nothing is written", () => {
  const cases = Object.entries(FIELDS).flatMap(([url, fields]) =>
    Object.entries(fields).flatMap(([field, values]) => values.map((value) => [url, field, value] as const)),
  );
  test.each(cases)("%s %s = %s", async (url, field, value) => {
    const others = { amount: "5000", currency: '"BRL"', payment_methods: '["card"]', [field]: value };
    const body = `{${Object.entries(others)
      .map(([name, text]) => `"${name}":${text}`)
      .join()}}`;
    await expectNothingWritten(async () =>
      expectRefused(await post(url, body), 400, "invalid_request", field),
    );
  });

  test.each(POSTS)("any wrong value in any field of POST %s is a 4xx, never a 5xx", async (url) => {
    const names = [
      "amount",
      "currency",
      "payment_method",
      "installments",
      "name",
      "media_urls",
      "outcome",
      "payer_country",
    ];
    for (const name of names) {
      for (const value of WRONG_VALUES) {
        const { status } = await post(url, `{"${name}":${value}}`);
        // A good value of one field alone may come as far as the unknown quote or link.
        expect([400, 404]).toContain(status);
      }
    }
  });
});

describe("unknown keys are 400 unknown_parameter with the key as param", () => {
  test.each(POSTS)("%s", async (url) => {
    for (const key of [
      "x",
      "__proto__",
      "constructor",
      "toString",
      "paymentMethod",
      "amount ",
      "$typeName",
      "",
    ]) {
      const before = await rows();
      expectRefused(await post(url, `{${JSON.stringify(key)}:1}`), 400, "unknown_parameter", key);
      expect(await rows()).toEqual(before);
    }
  });
});

describe("bodies that are no strict JSON are 400 invalid_request", () => {
  const bodies: [string, string | Buffer][] = [
    ["nothing", ""],
    ["white space", "  "],
    ["truncated", '{"amount":5000,'],
    ["an open string", '{"amount'],
    ["an array", "[]"],
    ["null", "null"],
    ["a number", "1"],
    ["a duplicate key", '{"amount":5000,"amount":5000,"currency":"BRL"}'],
    ["a duplicate key by escape", '{"amount":5000,"\\u0061mount":5000,"currency":"BRL"}'],
    ["a duplicate key deep inside", '{"amount":5000,"currency":"BRL","metadata":{"a":{"b":1,"b":1}}}'],
    ["invalid UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ["an overlong encoding", Buffer.from([0x7b, 0x22, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ["a byte order mark", '\ufeff{"amount":5000,"currency":"BRL"}'],
    ["UTF-16", Buffer.from('{"amount":5000,"currency":"BRL"}', "utf16le")],
    ["NUL in a string", '{"amount":5000,"currency":"BRL","reference":"a\\u0000b"}'],
    ["NUL in a metadata key", '{"amount":5000,"currency":"BRL","metadata":{"a\\u0000":1}}'],
    ["a raw control character", '{"amount":5000,"currency":"BRL","reference":"a\nb"}'],
    ["a lone surrogate", '{"amount":5000,"currency":"BRL","reference":"\\ud800"}'],
    ["a lone low surrogate in a key", '{"amount":5000,"currency":"BRL","metadata":{"\\udc00":1}}'],
    ["trailing bytes", '{"amount":5000,"currency":"BRL"}x'],
    ["two values", '{"amount":5000,"currency":"BRL"}{}'],
    ["a comment", '{"amount":5000/**/,"currency":"BRL"}'],
    ["a trailing comma", '{"amount":5000,"currency":"BRL",}'],
    ["single quotes", "{'amount':5000}"],
    ["NaN", '{"amount":NaN,"currency":"BRL"}'],
    ["a leading zero", '{"amount":05000,"currency":"BRL"}'],
    ["a plus sign", '{"amount":+5000,"currency":"BRL"}'],
    ["nesting of 33", `{"amount":5000,"currency":"BRL","metadata":{"a":${"[".repeat(31)}${"]".repeat(31)}}}`],
    ["nesting of 10,000", "[".repeat(10_000)],
  ];
  test.each(bodies)("%s", async (_name, body) => {
    await expectNothingWritten(async () =>
      expectRefused(await post("/v1/payment_links", body), 400, "invalid_request"),
    );
  });

  test("nesting of 32 is accepted and comes back", async () => {
    const deep = `{"a":${"[".repeat(30)}${"]".repeat(30)}}`;
    const { status, body } = await post(
      "/v1/payment_links",
      `{"amount":5000,"currency":"BRL","metadata":${deep}}`,
    );
    expect(status).toBe(201);
    expect(JSON.stringify(body.metadata)).toBe(deep);
  });
});

describe("what a body is said to be", () => {
  const body = '{"amount":5000,"currency":"BRL"}';
  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonx",
    "application/json; charset=utf-16",
  ])("%s is 415 unsupported_media_type", async (type) => {
    await expectNothingWritten(async () =>
      expectRefused(
        await post("/v1/payment_links", body, { "content-type": type }),
        415,
        "unsupported_media_type",
        null,
      ),
    );
  });

  test.each(["application/json; charset=utf-8", "Application/JSON", 'application/json;charset="UTF-8"'])(
    "%s is accepted",
    async (type) => {
      expect((await post("/v1/payment_links", body, { "content-type": type })).status).toBe(201);
    },
  );

  test("64 KiB are read, one byte more is 413 payload_too_large", async () => {
    const of = (bytes: number): string => `${body.slice(0, -1)}${" ".repeat(bytes - body.length)}}`;
    expect((await post("/v1/payment_links", of(65_536))).status).toBe(201);
    expectRefused(await post("/v1/payment_links", of(65_537)), 413, "payload_too_large", null);
  });
});

describe("the order of checks: authentication, scope, idempotency header, JSON and unknown keys, limits", () => {
  const bad = '{"amount":0,"currency":"BRL","unknown":1}';
  test("each comes before the next", async () => {
    const noScope = await service.createKey(tenant.id, "test", ["payments:read"]);
    const steps: [Record<string, string>, string, number, string][] = [
      [{ authorization: "Bearer x", "idempotency-key": "" }, bad, 401, "invalid_api_key"],
      [{ authorization: `Bearer ${noScope.key}`, "idempotency-key": "" }, bad, 403, "insufficient_scope"],
      [{ "idempotency-key": "" }, bad, 400, "missing_idempotency_key"],
      [{}, bad, 400, "unknown_parameter"],
      [{}, '{"amount":0,"currency":"BRL"}', 400, "invalid_request"],
    ];
    for (const [headers, body, status, code] of steps) {
      expectRefused(await post("/v1/payment_links", body, headers), status, code);
    }
  });

  test("a POST takes no query parameter: 400 unknown_parameter", async () => {
    const good = '{"amount":5000,"currency":"BRL"}';
    expectRefused(await post("/v1/payment_links?x=1", good), 400, "unknown_parameter", "x");
  });
});

describe("whatever is sent, the answer is in the contract's shape and no 5xx", () => {
  const shape = ({ status, body }: Posted): boolean =>
    status < 300 || (status < 500 && Object.keys(body.error).join() === "code,message,param,request_id");

  test("random JSON", async () => {
    const keys = [
      "amount",
      "currency",
      "reference",
      "metadata",
      "payment_method",
      "installments",
      "name",
      "outcome",
    ];
    const value = fc.oneof(
      fc.constantFrom(1, 5000, "BRL", "USD", "pix", "card", "succeeded", null, true, -1, 2 ** 53),
      fc.jsonValue({ maxDepth: 3 }),
    );
    const body = fc.dictionary(fc.constantFrom(...keys), value);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...POSTS), body, async (url, sent) =>
        shape(await post(url, JSON.stringify(sent))),
      ),
      { numRuns: 400 },
    );
  });

  test("random bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...POSTS), fc.uint8Array({ maxLength: 64 }), async (url, bytes) =>
        shape(await post(url, Buffer.from(bytes))),
      ),
      { numRuns: 300 },
    );
  });
});
