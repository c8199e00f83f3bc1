import { METHODS } from "node:http";
import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { expectError, REQUEST_ID, type Refusal } from "../support/error-answer.ts";
import { readAnswers, sendRaw, type RawAnswer } from "../support/raw-http.ts";
import { startService, type TestService, type TestTenant } from "../support/service.ts";

let service: TestService;
let tenant: TestTenant;
let port: number;
beforeAll(async () => {
  service = await startService();
  tenant = await service.createTenant();
  port = Number(new URL(await service.gateway.listen({ host: "127.0.0.1", port: 0 })).port);
});
afterAll(async () => await service.close());

/** After whatever was sent, the server still serves. */
async function expectServing(): Promise<void> {
  const [answer] = await ask("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  expect(answer).toMatchObject({ status: 200, text: '{"status":"ok"}' });
}
afterEach(expectServing);

async function ask(...parts: (string | Uint8Array)[]): Promise<RawAnswer[]> {
  return readAnswers(await sendRaw(port, ...parts));
}

/** A request for a link, its framing headers and body as given. */
function create(lines: string[], body = ""): string {
  const head = [
    "POST /v1/payment_links HTTP/1.1",
    "Host: a",
    `Authorization: Bearer ${tenant.testKey}`,
    "Content-Type: application/json",
    ...lines,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

const LINK = '{"amount":15990,"currency":"BRL"}';

async function expectRefused(bytes: string | Uint8Array, refusal: Refusal): Promise<RawAnswer> {
  const answers = await ask(bytes);
  expect(answers).toHaveLength(1);
  const [answer] = answers as [RawAnswer];
  expectError(answer, refusal);
  return answer;
}

describe("what is not HTTP: 400 in the contract's shape, and the connection ends", () => {
  const garbage: [string, string | Uint8Array][] = [
    ["words", "hello\r\n\r\n"],
    ["NULs", new Uint8Array(64)],
    ["a TLS greeting", Buffer.from("160301020001000001fc0303", "hex")],
    ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["an unknown verb", "BREW /v1/payments HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["a verb in lower case", "get /v1/payments HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["a version that is none", "GET /v1/payments HTTP/9.9\r\nHost: a\r\n\r\n"],
    ["a blank in a header's name", "GET /v1/payments HTTP/1.1\r\nHo st: a\r\n\r\n"],
    ["a header without a colon", "GET /v1/payments HTTP/1.1\r\nHost a\r\n\r\n"],
    ["a NUL in a header", "GET /v1/payments HTTP/1.1\r\nHost: a\0b\r\n\r\n"],
    ["a bare carriage return in a header", "GET /v1/payments HTTP/1.1\r\nHost: a\rb: c\r\n\r\n"],
    ["a folded header", "GET /v1/payments HTTP/1.1\r\nHost: a\r\n Authorization: b\r\n\r\n"],
    ["a blank in the address", "GET /v1/pay ments HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["a NUL in the address", "GET /v1/payments/\0 HTTP/1.1\r\nHost: a\r\n\r\n"],
  ];
  test.each(garbage)("%s", async (_, bytes) => {
    const { headers } = await expectRefused(bytes, {});
    expect(headers["connection"]).toBe("close");
  });
});

describe("how long the body is", () => {
  const framing: [string, string[], string][] = [
    ["a Content-Length that is no number", ["Content-Length: abc"], LINK],
    ["a negative Content-Length", ["Content-Length: -1"], LINK],
    ["a Content-Length with a sign", [`Content-Length: +${LINK.length}`], LINK],
    ["a hexadecimal Content-Length", ["Content-Length: 0x21"], LINK],
    ["an endless Content-Length", [`Content-Length: ${"9".repeat(30)}`], LINK],
    ["two Content-Lengths", ["Content-Length: 1", `Content-Length: ${LINK.length}`], LINK],
    [
      "Content-Length and Transfer-Encoding at once",
      [`Content-Length: ${LINK.length}`, "Transfer-Encoding: chunked"],
      `${LINK.length.toString(16)}\r\n${LINK}\r\n0\r\n\r\n`,
    ],
    ["an unknown Transfer-Encoding", ["Transfer-Encoding: chunked, gzip"], "0\r\n\r\n"],
    ["a Transfer-Encoding in disguise", ["Transfer-Encoding : chunked"], "0\r\n\r\n"],
  ];
  test.each(framing)("400 for %s", async (_, lines, body) => {
    await expectRefused(create(["Idempotency-Key: a", ...lines], body), {});
  });

  const chunks: [string, string][] = [
    ["a chunk size that is no number", "xyz\r\nabc\r\n0\r\n\r\n"],
    ["a negative chunk size", "-1\r\na\r\n0\r\n\r\n"],
    ["an endless chunk size", `${"f".repeat(40)}\r\na\r\n`],
    ["a chunk longer than it says", "1\r\nabc\r\n0\r\n\r\n"],
    ["a chunk size with a bare line feed", "1\na\r\n0\r\n\r\n"],
  ];
  test.each(chunks)("400 for %s", async (_, body) => {
    await expectRefused(create(["Idempotency-Key: a", "Transfer-Encoding: chunked"], body), {});
  });

  test("a chunked body is read like any other", async () => {
    const half = LINK.length >> 1;
    const parts = [LINK.slice(0, half), LINK.slice(half)];
    const body = `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("")}0\r\n\r\n`;
    const lines = ["Idempotency-Key: chunked", "Transfer-Encoding: chunked", "Connection: close"];
    const [answer] = await ask(create(lines, body));
    expect(answer?.status).toBe(201);
  });

  test("413 for a chunked body over 64 KiB", async () => {
    const body = `${(65_537).toString(16)}\r\n${" ".repeat(65_537)}\r\n0\r\n\r\n`;
    const lines = ["Idempotency-Key: a", "Transfer-Encoding: chunked", "Connection: close"];
    await expectRefused(create(lines, body), { status: 413, code: "payload_too_large" });
  });

  test("413 by Content-Length, before the body is there", async () => {
    const lines = ["Idempotency-Key: a", "Content-Length: 65537", "Connection: close"];
    await expectRefused(create(lines), { status: 413, code: "payload_too_large" });
  });

  test("nothing is written by a request whose body ends before its time", async () => {
    const socket = connect({ port, host: "127.0.0.1" });
    const closed = new Promise((resolve) => {
      socket.on("close", resolve);
    });
    socket.on("error", () => undefined);
    socket.resume();
    socket.end(create(["Idempotency-Key: cut", `Content-Length: ${LINK.length}`], LINK.slice(0, -1)));
    await closed;
    const lines = ["Idempotency-Key: cut", `Content-Length: ${LINK.length}`, "Connection: close"];
    const [answer] = await ask(create(lines, LINK));
    expect(answer?.status).toBe(201);
    expect(answer?.headers).not.toHaveProperty("idempotent-replay");
  });
});

describe("headers that are too large: 431 in the contract's shape", () => {
  const large: [string, () => string][] = [
    ["one header", () => create([`X-Large: ${"a".repeat(20_000)}`])],
    ["many headers", () => create(Array.from({ length: 3000 }, (_, index) => `X-${index}: a`))],
    ["the address", () => `GET /v1/payments/${"a".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
  ];
  test.each(large)("%s", async (_, request) => {
    await expectRefused(request(), { status: 431 });
  });

  test("a key of 10,000 characters is refused as too long", async () => {
    await expectRefused(create([`Idempotency-Key: ${"k".repeat(10_000)}`, "Connection: close"], ""), {
      code: "invalid_idempotency_key",
    });
  });
});

describe("several requests on one connection", () => {
  const good = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";

  test("good ones are answered in their order", async () => {
    const missing = "GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    const answers = await ask(`${good}${good}${missing}`);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
    const ids = answers.map(({ headers }) => headers["x-request-id"]);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(REQUEST_ID);
  });

  test("garbage after an answered request is refused on its own", async () => {
    const [first, second] = await ask(good, "garbage\r\n\r\n");
    expect(first).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    expectError(second as RawAnswer);
    expect(second?.headers["x-request-id"]).not.toBe(first?.headers["x-request-id"]);
  });

  test("garbage right behind a request ends the connection, lest the refusal be taken for its answer", async () => {
    expect(await sendRaw(port, `${good}garbage\r\n\r\n`)).toBe("");
  });

  test("a second request hidden in the body of the first is not run", async () => {
    const hidden = create(["Idempotency-Key: hidden", `Content-Length: ${LINK.length}`], LINK);
    const lines = ["Idempotency-Key: outer", `Content-Length: ${hidden.length}`, "Connection: close"];
    await expectRefused(create(lines, hidden), {});
    const again = [`Idempotency-Key: hidden`, `Content-Length: ${LINK.length}`, "Connection: close"];
    const [answer] = await ask(create(again, LINK));
    expect([answer?.status, answer?.headers["idempotent-replay"]]).toEqual([201, undefined]);
  });
});

const request = (verb: string, path: string, ...lines: string[]): string =>
  [`${verb} ${path} HTTP/1.1`, "Host: a", "Connection: close", ...lines, "", ""].join("\r\n");

describe("addresses and verbs", () => {
  test.each([
    "/",
    "/v1",
    "/v1/payments/a/b",
    "//v1/payments",
    "/v1/payments/../payments",
    "/V1/payments",
    "*",
  ])("404 not_found for %s, with and without a key", async (path) => {
    await expectRefused(request("GET", path), { status: 404, code: "not_found" });
    await expectRefused(request("GET", path, `Authorization: Bearer ${tenant.testKey}`), {
      status: 404,
      code: "not_found",
    });
  });

  test("an absolute address is the same address", async () => {
    const [answer] = await ask(request("GET", "http://a/healthz"));
    expect(answer).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    await expectRefused(request("GET", "http://a/nowhere"), { status: 404, code: "not_found" });
  });

  const paths: [string, string][] = [
    ["/v1/payment_links", "POST"],
    ["/v1/quotes", "POST"],
    ["/v1/quotes/qt_x/accept", "POST"],
    ["/v1/payment_intents", "POST"],
    ["/v1/payment_links/pl_x/simulate_payment", "POST"],
    ["/v1/payments", "GET, HEAD"],
    ["/v1/payments/pay_x", "GET, HEAD"],
    ["/.well-known/jwks.json", "GET, HEAD"],
    ["/healthz", "GET, HEAD"],
  ];
  test.each(paths)("%s is for %s alone: 405 with Allow for any other verb", async (path, allowed) => {
    for (const verb of METHODS.filter(
      (each) => ![...allowed.split(", "), "HEAD", "CONNECT"].includes(each),
    )) {
      const { headers } = await expectRefused(request(verb, path), {
        status: 405,
        code: "method_not_allowed",
      });
      expect({ verb, allow: headers["allow"] }).toEqual({ verb, allow: allowed });
    }
  });

  test.each([
    "/v1/payments?from=2026-01-01&to=2026-01-02",
    "/v1/payments/pay_x",
    "/.well-known/jwks.json",
    "/healthz",
  ])("HEAD %s: what GET answers, without the body", async (path) => {
    const lines = [`Authorization: Bearer ${tenant.testKey}`];
    const [got] = await ask(request("GET", path, ...lines));
    const [head = "", body] = (await sendRaw(port, request("HEAD", path, ...lines))).split("\r\n\r\n");
    expect(head).toContain(`HTTP/1.1 ${got?.status} `);
    expect(head.toLowerCase()).toContain(`content-length: ${got?.text.length}`);
    expect(head.toLowerCase()).toMatch(/\r\nx-request-id: req_/);
    expect(body).toBe("");
  });

  test.each(paths.filter(([, allowed]) => allowed === "POST"))(
    "HEAD %s: 405 with Allow, and no body",
    async (path, allowed) => {
      const received = await sendRaw(port, request("HEAD", path));
      const [head = "", body] = received.split("\r\n\r\n");
      expect(head).toMatch(/^HTTP\/1\.1 405 /);
      expect(head.toLowerCase()).toContain(`\r\nallow: ${allowed.toLowerCase()}\r\n`);
      expect(head).toMatch(/\r\nx-request-id: req_[0-7][0-9a-hjkmnp-tv-z]{25}\r\n/i);
      expect(body).toBe("");
    },
  );

  test("OPTIONS *: 404; CONNECT gets no tunnel", async () => {
    await expectRefused(request("OPTIONS", "*"), { status: 404, code: "not_found" });
    expect(await sendRaw(port, "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n")).toBe("");
  });

  test("an upgrade is not offered: the request is answered as if it asked for none", async () => {
    const upgrade = ["GET /healthz HTTP/1.1", "Host: a", "Upgrade: websocket", "Connection: upgrade", "", ""];
    const last = request("GET", "/nowhere");
    const answers = await ask(upgrade.join("\r\n"), last);
    expect(answers.map(({ status }) => status)).toEqual([200, 404]);
  });

  test("400 without a Host, as HTTP/1.1 wants it; HTTP/1.0 needs none", async () => {
    await expectRefused("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", {});
    const [answer] = await ask("GET /healthz HTTP/1.0\r\n\r\n");
    expect(answer?.status).toBe(200);
  });

  test("HTTP/0.9 is answered as HTTP/1.1 is, and the connection ends", async () => {
    await expectRefused("GET /v1/payments\r\n\r\n", { status: 401, code: "invalid_api_key" });
    const [answer] = await ask("GET /healthz\r\n\r\n");
    expect(answer).toMatchObject({ status: 200, headers: { connection: "close" } });
  });

  test("a public route needs no key, its answer carries X-Request-Id", async () => {
    const [answer] = await ask(request("GET", "/.well-known/jwks.json"));
    expect(answer?.status).toBe(200);
    expect(answer?.headers["x-request-id"]).toMatch(REQUEST_ID);
  });
});

describe("Expect", () => {
  test("100-continue is answered, then the request", async () => {
    const lines = ["Idempotency-Key: expect", `Content-Length: ${LINK.length}`, "Connection: close"];
    const answers = await ask(create([...lines, "Expect: 100-continue"], LINK));
    expect(answers.map(({ status }) => status)).toEqual([100, 201]);
  });

  test("an unknown expectation is ignored", async () => {
    const lines = ["Idempotency-Key: unknown", `Content-Length: ${LINK.length}`, "Connection: close"];
    const answers = await ask(create([...lines, "Expect: miracles"], LINK));
    expect(answers.map(({ status }) => status)).toEqual([201]);
  });
});
