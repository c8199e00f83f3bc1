import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { expectError, REQUEST_ID } from "../support/error-answer.ts";
import { sendRaw, type RawAnswer } from "../support/raw-http.ts";
import { RawClient } from "./raw-client.ts";

const on = await RawClient.forFile();
const LINK = '{"amount":15990,"currency":"BRL"}';

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
    const { headers } = await on.expectRefused(bytes, {});
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
    await on.expectRefused(on.create(["Idempotency-Key: a", ...lines], body), {});
  });

  const chunks: [string, string][] = [
    ["a chunk size that is no number", "xyz\r\nabc\r\n0\r\n\r\n"],
    ["a negative chunk size", "-1\r\na\r\n0\r\n\r\n"],
    ["an endless chunk size", `${"f".repeat(40)}\r\na\r\n`],
    ["a chunk longer than it says", "1\r\nabc\r\n0\r\n\r\n"],
    ["a chunk size with a bare line feed", "1\na\r\n0\r\n\r\n"],
  ];
  test.each(chunks)("400 for %s", async (_, body) => {
    await on.expectRefused(on.create(["Idempotency-Key: a", "Transfer-Encoding: chunked"], body), {});
  });

  test("a chunked body is read like any other", async () => {
    const half = LINK.length >> 1;
    const parts = [LINK.slice(0, half), LINK.slice(half)];
    const body = `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("")}0\r\n\r\n`;
    const lines = ["Idempotency-Key: chunked", "Transfer-Encoding: chunked", "Connection: close"];
    const [answer] = await on.ask(on.create(lines, body));
    expect(answer?.status).toBe(201);
  });

  test("413 for a chunked body over 64 KiB", async () => {
    const body = `${(65_537).toString(16)}\r\n${" ".repeat(65_537)}\r\n0\r\n\r\n`;
    const lines = ["Idempotency-Key: a", "Transfer-Encoding: chunked", "Connection: close"];
    await on.expectRefused(on.create(lines, body), { status: 413, code: "payload_too_large" });
  });

  test("413 by Content-Length, before the body is there", async () => {
    const lines = ["Idempotency-Key: a", "Content-Length: 65537", "Connection: close"];
    await on.expectRefused(on.create(lines), { status: 413, code: "payload_too_large" });
  });

  test("nothing is written by a request whose body ends before its time", async () => {
    const socket = connect({ port: on.port, host: "127.0.0.1" });
    const closed = new Promise((resolve) => {
      socket.on("close", resolve);
    });
    socket.on("error", () => undefined);
    socket.resume();
    socket.end(on.create(["Idempotency-Key: cut", `Content-Length: ${LINK.length}`], LINK.slice(0, -1)));
    await closed;
    const lines = ["Idempotency-Key: cut", `Content-Length: ${LINK.length}`, "Connection: close"];
    const [answer] = await on.ask(on.create(lines, LINK));
    expect(answer?.status).toBe(201);
    expect(answer?.headers).not.toHaveProperty("idempotent-replay");
  });
});

describe("headers that are too large: 431 in the contract's shape", () => {
  const large: [string, () => string][] = [
    ["one header", () => on.create([`X-Large: ${"a".repeat(20_000)}`])],
    ["many headers", () => on.create(Array.from({ length: 3000 }, (_, index) => `X-${index}: a`))],
    ["the address", () => `GET /v1/payments/${"a".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
  ];
  test.each(large)("%s", async (_, request) => {
    await on.expectRefused(request(), { status: 431 });
  });

  test("a key of 10,000 characters is refused as too long", async () => {
    await on.expectRefused(on.create([`Idempotency-Key: ${"k".repeat(10_000)}`, "Connection: close"], ""), {
      code: "invalid_idempotency_key",
    });
  });
});

describe("several requests on one connection", () => {
  const good = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";

  test("good ones are answered in their order", async () => {
    const missing = "GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    const answers = await on.ask(`${good}${good}${missing}`);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
    const ids = answers.map(({ headers }) => headers["x-request-id"]);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(REQUEST_ID);
  });

  test("garbage after an answered request is refused on its own", async () => {
    const [first, second] = await on.ask(good, "garbage\r\n\r\n");
    expect(first).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    expectError(second as RawAnswer);
    expect(second?.headers["x-request-id"]).not.toBe(first?.headers["x-request-id"]);
  });

  test("garbage right behind a request ends the connection, lest the refusal be taken for its answer", async () => {
    expect(await sendRaw(on.port, `${good}garbage\r\n\r\n`)).toBe("");
  });

  test("a second request hidden in the body of the first is not run", async () => {
    const hidden = on.create(["Idempotency-Key: hidden", `Content-Length: ${LINK.length}`], LINK);
    const lines = ["Idempotency-Key: outer", `Content-Length: ${hidden.length}`, "Connection: close"];
    await on.expectRefused(on.create(lines, hidden), {});
    const again = [`Idempotency-Key: hidden`, `Content-Length: ${LINK.length}`, "Connection: close"];
    const [answer] = await on.ask(on.create(again, LINK));
    expect([answer?.status, answer?.headers["idempotent-replay"]]).toEqual([201, undefined]);
  });
});

describe("Expect", () => {
  test("100-continue is answered, then the request", async () => {
    const lines = ["Idempotency-Key: expect", `Content-Length: ${LINK.length}`, "Connection: close"];
    const answers = await on.ask(on.create([...lines, "Expect: 100-continue"], LINK));
    expect(answers.map(({ status }) => status)).toEqual([100, 201]);
  });

  test("an unknown expectation is ignored", async () => {
    const lines = ["Idempotency-Key: unknown", `Content-Length: ${LINK.length}`, "Connection: close"];
    const answers = await on.ask(on.create([...lines, "Expect: miracles"], LINK));
    expect(answers.map(({ status }) => status)).toEqual([201]);
  });
});
