import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { Api, type Answer } from "../support/api.ts";
import { Asked, OPERATIONS, VALID, type Operation } from "../support/asked.ts";
import { expectError, REQUEST_ID, type Refusal } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { readAnswers, sendRaw } from "../support/raw-http.ts";

const on = await forFile(Asked.start());

const askWithKey = (operation: Operation, idempotencyKey: string | null): Promise<Answer> =>
  on.api.post(on.urls[operation], VALID[operation], { idempotencyKey });

describe("Idempotency-Key", () => {
  const REQUIRED: Operation[] = ["link", "quote", "accept", "intent"];
  test.each(REQUIRED)("Missing or empty: 400 missing_idempotency_key, %s", async (operation) => {
    for (const key of [null, ""]) {
      await on.expectRefused(async () => await askWithKey(operation, key), {
        code: "missing_idempotency_key",
      });
    }
  });

  test.each(OPERATIONS)("Longer than 255 characters: 400 invalid_idempotency_key, %s", async (operation) => {
    for (const key of ["k".repeat(256), "é".repeat(256), "k".repeat(10_000)]) {
      await on.expectRefused(async () => await askWithKey(operation, key), {
        code: "invalid_idempotency_key",
      });
    }
  });

  // Node gives a header's bytes as Latin-1.
  const utf8 = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
  test("characters are counted, of UTF-8 where the bytes are that", async () => {
    for (const text of ["é".repeat(255), "日".repeat(255), "😀".repeat(255)]) {
      expect((await askWithKey("intent", utf8(text))).status).toBe(201);
      await on.expectRefused(async () => await askWithKey("intent", utf8(`${text}x`)), {
        code: "invalid_idempotency_key",
      });
    }
  });

  test.each(["k".repeat(255), "é".repeat(255), "1", "a b", "ÿ\u0080"])(
    "Any unique string is accepted: %s",
    async (key) => {
      expect((await askWithKey("intent", key)).status).toBe(201);
      const again = await askWithKey("intent", key);
      expect([again.status, again.headers["idempotent-replay"]]).toEqual([201, "true"]);
    },
  );
});

describe("order of checks: authentication, scope, idempotency header, media type, JSON, unknown keys, limits", () => {
  /** Everything is wrong; each step mends the first of it. */
  test.each(OPERATIONS)("%s", async (operation) => {
    const { key: weak } = await on.service.createKey(on.tenant.id, "test", ["payments:read"]);
    const other = await on.service.createKey(on.tenant.id, "test");
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
      refund: "amount",
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
      await on.expectRefused(
        async () => await on.postBytes(on.urls[operation], Buffer.from(text), headers),
        refusal,
      );
    }
  });

  test("a live key may not simulate, before the key's header and the body are looked at", async () => {
    const headers = { authorization: `Bearer ${on.tenant.liveKey}`, "idempotency-key": "k".repeat(256) };
    await on.expectRefused(async () => await on.postBytes(on.urls.simulate, Buffer.from("{"), headers), {
      status: 403,
      code: "not_available_in_live",
    });
  });

  test("limits before the lookup of the idempotency key, the lookup before business rules", async () => {
    const url = on.urls.link;
    await on.api.post(url, VALID.link, { idempotencyKey: "used" });
    const limit = await on.api.post(url, { ...VALID.link, amount: 0 }, { idempotencyKey: "used" });
    expectError(limit, { param: "amount" });
    const reuse = await on.api.post(url, { ...VALID.link, amount: 1 }, { idempotencyKey: "used" });
    expectError(reuse, { status: 409, code: "idempotency_key_reuse" });
  });
});

describe("credentials: 401 invalid_api_key", () => {
  const invalid: [string, () => Record<string, string | undefined>][] = [
    ["none", () => ({ authorization: undefined })],
    ["an empty one", () => ({ authorization: "" })],
    ["no scheme", () => ({ authorization: on.tenant.testKey })],
    ["another scheme", () => ({ authorization: `Basic ${on.tenant.testKey}` })],
    ["two schemes", () => ({ authorization: `Bearer Bearer ${on.tenant.testKey}` })],
    ["two keys", () => ({ authorization: `Bearer ${on.tenant.testKey}, Bearer ${on.tenant.testKey}` })],
    [
      "the other prefix",
      () => ({ authorization: `Bearer ${on.tenant.testKey.replace("svc_test_", "svc_live_")}` }),
    ],
    ["upper case", () => ({ authorization: `Bearer ${on.tenant.testKey.toUpperCase()}` })],
    ["a character more", () => ({ authorization: `Bearer ${on.tenant.testKey}a` })],
    ["a character less", () => ({ authorization: `Bearer ${on.tenant.testKey.slice(0, -1)}` })],
    ["a long one", () => ({ authorization: `Bearer svc_test_${"a".repeat(8000)}` })],
    ["the core's token", () => ({ authorization: `${on.service.internal.headers["authorization"]}` })],
  ];
  test.each(invalid)("%s", async (_, headers) => {
    const refusal = { status: 401, code: "invalid_api_key" };
    await on.expectRefused(
      async () => await on.postBytes(on.urls.link, Buffer.from("{}"), headers()),
      refusal,
    );
  });

  test("headers of internal callers give nothing", async () => {
    const other = await on.service.createTenant();
    const period = "from=2026-01-01&to=2026-12-31";
    const { status, headers, body } = await new Api(on.service, other.testKey).get(`/v1/payments?${period}`, {
      "paylink-tenant": on.tenant.id,
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
    port = Number(new URL(await on.service.gateway.listen({ host: "127.0.0.1", port: 0 })).port);
  });

  const ask = async (...lines: string[]): Promise<Answer> => {
    const body = JSON.stringify(VALID.link);
    const head = [
      `POST ${on.urls.link} HTTP/1.1`,
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
    const bearer = `Authorization: Bearer ${on.tenant.testKey}`;
    for (const other of [bearer, `authorization: Bearer ${on.tenant.liveKey}`, "AUTHORIZATION:"]) {
      await on.expectRefused(async () => await ask(bearer, "Idempotency-Key: a", other), {
        status: 401,
        code: "invalid_api_key",
      });
    }
  });

  test("two Idempotency-Key headers: 400 invalid_idempotency_key, be they equal or not", async () => {
    const bearer = `Authorization: Bearer ${on.tenant.testKey}`;
    for (const other of ["Idempotency-Key: a", "idempotency-key: b", "IDEMPOTENCY-KEY:"]) {
      await on.expectRefused(async () => await ask(bearer, "Idempotency-Key: a", other), {
        code: "invalid_idempotency_key",
      });
    }
  });

  test("two Host headers: 400 in the contract's shape, wherever they lead", async () => {
    for (const other of ["Host: a", "host: b"]) {
      await on.expectRefused(async () => await ask(`Authorization: Bearer ${on.tenant.testKey}`, other), {});
    }
    for (const path of ["/nowhere", "/docs", "/pay/pl_1", "/healthz"]) {
      const lines = [`GET ${path} HTTP/1.1`, "Host: a", "Host: a", "Connection: close"];
      const [answer] = readAnswers(await sendRaw(port, `${lines.join("\r\n")}\r\n\r\n`));
      if (!answer) throw new Error("no answer");
      expectError(answer);
    }
  });

  test("one of each, with blanks around the values, is accepted", async () => {
    const { status } = await ask(
      `Authorization: \t Bearer ${on.tenant.testKey}  `,
      "Idempotency-Key: \t blanks  ",
    );
    expect(status).toBe(201);
    const again = await on.api.post(on.urls.link, VALID.link, { idempotencyKey: "blanks" });
    expect([again.status, again.headers["idempotent-replay"]]).toEqual([201, "true"]);
  });
});
