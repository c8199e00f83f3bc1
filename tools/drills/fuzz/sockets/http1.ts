import fc from "fast-check";

const LINES = [
  "GET / HTTP/1.1",
  "GET /healthz HTTP/1.1",
  "GET /v1/payments HTTP/1.1",
  "POST /v1/payment_links HTTP/1.1",
  "POST /paylink.links.v1.LinksService/CreatePaymentLink HTTP/1.1",
  "OPTIONS * HTTP/1.1",
  "GET http://other.example/healthz HTTP/1.1",
  "CONNECT other.example:443 HTTP/1.1",
  "PRI * HTTP/2.0",
  "BREW /v1/payments HTTP/1.1",
  "get / http/1.1",
  "GET /healthz HTTP/1.0",
  "GET /healthz HTTP/0.9",
  "GET /healthz",
  "GET /\u0000 HTTP/1.1",
  "GET /%zz HTTP/1.1",
  `GET /${"x".repeat(20_000)} HTTP/1.1`,
  " GET / HTTP/1.1",
  "",
];
const HEADERS = [
  "Host: a",
  "Host: b",
  "Host:",
  "Host : a",
  "Connection: close",
  "Connection: upgrade",
  "Upgrade: websocket",
  "Upgrade: h2c",
  "Expect: 100-continue",
  "Expect: 200-ok",
  "Content-Type: application/json",
  "Content-Type: application/grpc",
  "Content-Length: 5",
  "Content-Length: 0",
  "Content-Length: -1",
  "Content-Length: 5, 5",
  "Content-Length: 99999999999999999999",
  "Content-Length: 0x5",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: gzip, chunked",
  "Transfer-Encoding: chunked, identity",
  "Transfer-Encoding: xchunked",
  " Transfer-Encoding: chunked",
  "Authorization: Bearer svc_test_none",
  "Idempotency-Key: a",
  "Content-Encoding: gzip",
  "No colon",
  ": no name",
  "X\u0000: a",
  "X: a\u0000b",
  "X: a\rb",
  `X: ${"y".repeat(20_000)}`,
  "Cookie: a=b; =; ;;",
  "é: ü",
];
const BODIES = [
  "",
  "12345",
  "{}",
  "5\r\n12345\r\n0\r\n\r\n",
  "5\r\n123",
  "zz\r\n12345\r\n0\r\n\r\n",
  "ffffffffffffffff1\r\n",
  "5;name=value\r\n12345\r\n0\r\nTrailer: a\r\n\r\n",
  "-1\r\n\r\n",
  "0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
  "\r\n\r\n\r\n",
];

const broken = fc
  .tuple(
    fc.constantFrom(...LINES),
    fc.array(fc.constantFrom(...HEADERS), { maxLength: 5 }),
    fc.constantFrom("\r\n", "\n", "\r"),
    fc.constantFrom(...BODIES),
    fc.boolean(),
  )
  .map(([line, headers, end, body, isEnded]) =>
    Buffer.from([line, ...headers, ...(isEnded ? ["", body] : [])].join(end), "latin1"),
  );

/** Requests of HTTP/1.1 with broken framing, one after the other on a connection, and bytes that are no HTTP. */
export const http1Bytes: fc.Arbitrary<Uint8Array[]> = fc.oneof(
  { weight: 6, arbitrary: fc.array(broken, { minLength: 1, maxLength: 2, size: "max" }) },
  {
    weight: 1,
    arbitrary: fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { minLength: 1, maxLength: 3 }),
  },
);
