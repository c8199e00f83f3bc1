import { once } from "node:events";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startService, type TestService, type TestTenant } from "../support/service.ts";

let service: TestService;
let tenant: TestTenant;
let port: number;
beforeAll(async () => {
  service = await startService();
  tenant = await service.createTenant();
  await service.gateway.listen({ host: "127.0.0.1", port: 0 });
  port = (service.gateway.server.address() as AddressInfo).port;
});
afterAll(async () => await service.close());

interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends bytes as they are and reads what comes back until the server closes. */
async function send(text: string): Promise<RawAnswer> {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
  socket.on("error", () => undefined);
  socket.write(text, "latin1");
  await once(socket, "close");
  const [head = "", ...rest] = received.split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]),
  );
  return { status: Number(first.split(" ")[1]), headers, body: rest.join("\r\n\r\n") };
}

function expectContract({ status, headers, body }: RawAnswer, expected: number, code: string): void {
  expect(status).toBe(expected);
  expect(headers["x-request-id"]).toMatch(/^req_[0-9a-z]{26}$/);
  expect(JSON.parse(body)).toEqual({
    error: { code, message: expect.any(String), param: null, request_id: headers["x-request-id"] },
  });
}

const CLOSE = "Host: x\r\nConnection: close\r\n";
const auth = (): string => `Authorization: Bearer ${tenant.testKey}\r\n`;

describe("parser-level garbage carries the error shape and X-Request-Id", () => {
  test.each([
    ["garbage", "\x16\x03\x01\x02\x00\r\n\r\n", 400],
    ["a bad header", `GET / HTTP/1.1\r\n${CLOSE}bad header\r\n\r\n`, 400],
    ["a bad Content-Length", `POST /v1/quotes HTTP/1.1\r\n${CLOSE}Content-Length: x\r\n\r\n`, 400],
    [
      "two Content-Lengths",
      `POST /v1/quotes HTTP/1.1\r\n${CLOSE}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      400,
    ],
    [
      "Content-Length beside Transfer-Encoding",
      `POST /v1/quotes HTTP/1.1\r\n${CLOSE}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
      400,
    ],
    ["oversized headers", `GET / HTTP/1.1\r\n${CLOSE}X: ${"x".repeat(20_000)}\r\n\r\n`, 431],
    ["a missing Host", "GET /v1/payments HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
    ["a bad percent escape in the path", `GET /v1/payments/%zz HTTP/1.1\r\n${CLOSE}\r\n`, 400],
    ["an incomplete escape in the path", `GET /v1/payments/%f HTTP/1.1\r\n${CLOSE}\r\n`, 400],
  ])("%s", async (_name, text, status) => {
    expectContract(await send(text), status, "invalid_request");
    const alive = await service.gateway.inject({ url: "/healthz" });
    expect(alive.statusCode).toBe(200);
  });

  test("bad percent escapes in the query", async () => {
    for (const query of ["from=%zz", "from=%ff", "from=%00", "%=1"]) {
      const answer = await send(`GET /v1/payments?${query} HTTP/1.1\r\n${CLOSE}${auth()}\r\n`);
      expectContract(answer, 400, "invalid_request");
    }
  });
});

describe("what leads nowhere", () => {
  test.each(["/", "/v1", "/v1/payment_links/", "/V1/quotes", "/v1/unknown", "/v2/quotes", "//v1/quotes"])(
    "404 not_found for %s",
    async (path) => {
      expectContract(
        await send(`POST ${path} HTTP/1.1\r\n${CLOSE}Content-Length: 3\r\n\r\n{no`),
        404,
        "not_found",
      );
    },
  );

  test.each([
    ["GET", "/v1/quotes", "POST"],
    ["PUT", "/v1/payment_links", "POST"],
    ["DELETE", "/v1/payments/pay_1", "GET"],
    ["OPTIONS", "/v1/payments", "GET"],
    ["TRACE", "/v1/payments", "GET"],
    ["POST", "/healthz", "GET"],
  ])("405 method_not_allowed with Allow for %s %s", async (verb, path, allow) => {
    const answer = await send(`${verb} ${path} HTTP/1.1\r\n${CLOSE}\r\n`);
    expectContract(answer, 405, "method_not_allowed");
    expect(answer.headers["allow"]).toBe(allow);
  });

  test("405 for HEAD, without a body", async () => {
    const answer = await send(`HEAD /v1/payments HTTP/1.1\r\n${CLOSE}\r\n`);
    expect(answer.status).toBe(405);
    expect(answer.headers["x-request-id"]).toMatch(/^req_/);
    expect(answer.body).toBe("");
  });
});

describe("headers that stand twice", () => {
  test("two Authorization headers: 401 invalid_api_key", async () => {
    const answer = await send(`GET /v1/payments/pay_1 HTTP/1.1\r\n${CLOSE}${auth()}${auth()}\r\n`);
    expectContract(answer, 401, "invalid_api_key");
  });

  test("two Idempotency-Key headers: 400 invalid_idempotency_key", async () => {
    const keys = "Idempotency-Key: a\r\nidempotency-key: a\r\n";
    const answer = await send(
      `POST /v1/quotes HTTP/1.1\r\n${CLOSE}${auth()}${keys}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    );
    expectContract(answer, 400, "invalid_idempotency_key");
  });

  test("a key of white space alone is missing", async () => {
    const answer = await send(
      `POST /v1/quotes HTTP/1.1\r\n${CLOSE}${auth()}Idempotency-Key:  \t \r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    );
    expectContract(answer, 400, "missing_idempotency_key");
  });
});
