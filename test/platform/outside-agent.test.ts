import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:https";
import {
  createServer as createTcpServer,
  type AddressInfo,
  type LookupFunction,
  type Server,
} from "node:net";
import { text } from "node:stream/consumers";
import { createSecureContext, getCACertificates, type TLSSocket, type TlsOptions } from "node:tls";
import { generate } from "selfsigned";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { CLIENT_TLS } from "../../src/platform/outside/client-tls.ts";
import { undici } from "../../src/platform/outside/lazy-undici.ts";
import { BODY_TOO_LARGE, outsideAgent } from "../../src/platform/outside/outside-agent.ts";
import { newAuthority } from "../support/certificates.ts";

const DAY_MS = 86_400_000;
const NAME = [{ name: "commonName", value: "localhost" }];
const toLoopback: LookupFunction = (_host, _options, callback) =>
  callback(null, [{ address: "127.0.0.1", family: 4 }]);
const authority = await newAuthority("Test CA");
const pair = await authority.issue();
const trusting = createSecureContext({
  ...CLIENT_TLS,
  ca: [...getCACertificates("default"), authority.cert],
});

type Given = Partial<Parameters<typeof outsideAgent>[0]>;

async function ask(url: string, given: Given = {}): Promise<string> {
  const agent = outsideAgent({
    lookup: toLoopback,
    connectMs: 2000,
    answerMs: 2000,
    isKept: false,
    secureContext: trusting,
    ...given,
  });
  try {
    const { statusCode, body } = await undici().request(url, { dispatcher: agent });
    return `${statusCode} ${await text(body)}`;
  } finally {
    await agent.destroy();
  }
}

const failureOf = async (url: string, given?: Given): Promise<string> =>
  await ask(url, given).catch((error: NodeJS.ErrnoException) => String(error.code));

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Starts a server that answers "ok", and returns its port and what it saw of connections. */
async function start(options: TlsOptions = pair): Promise<{ port: number; seen: unknown[] }> {
  const seen: unknown[] = [];
  const server = createServer(options, (_request, response) => response.end("ok"));
  server.on("secureConnection", (socket: TLSSocket) => {
    const { servername, alpnProtocol } = socket;
    seen.push({ servername, alpnProtocol, protocol: socket.getProtocol() });
  });
  return { port: await listen(server), seen };
}

test("a request names its host, and is answered by TLS 1.3", async () => {
  const { port, seen } = await start();
  expect(await ask(`https://localhost:${port}/`)).toBe("200 ok");
  expect(seen).toEqual([{ servername: "localhost", alpnProtocol: "http/1.1", protocol: "TLSv1.3" }]);
});

test("a server with TLS 1.2 and ECDHE is asked, one with TLS 1.1 or DHE alone is not", async () => {
  const rsa = await generate(NAME, { keyType: "rsa" });
  const old = { cert: rsa.cert, key: rsa.private, maxVersion: "TLSv1.2" } as const;
  const ports = await Promise.all(
    [
      { ...pair, maxVersion: "TLSv1.2" } as const,
      { ...old, minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const,
      { ...old, ciphers: "DHE-RSA-AES128-GCM-SHA256", dhparam: "auto" } as const,
    ].map(async (options) => (await start(options)).port),
  );
  const outcomes = ports.map(async (port) => await failureOf(`https://localhost:${port}/`));
  expect(await Promise.all(outcomes)).toEqual([
    "200 ok",
    expect.stringMatching(/^(EPROTO|ERR_SSL)/),
    expect.stringMatching(/^(EPROTO|ERR_SSL)/),
  ]);
});

describe("a server is refused", () => {
  test("with another name's certificate", async () => {
    const { port } = await start();
    expect(await failureOf(`https://example.com:${port}/`)).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
    expect(await failureOf(`https://127.0.0.1:${port}/`)).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
  });

  test("with a certificate that has ended, or that no one issued, also if the environment would allow it", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    onTestFinished(() => void vi.unstubAllEnvs());
    const past = {
      notBeforeDate: new Date(Date.now() - 2 * DAY_MS),
      notAfterDate: new Date(Date.now() - DAY_MS),
    };
    const expired = await generate(NAME, { keyType: "ec", ca: authority, ...past });
    const alone = await generate(NAME, { keyType: "ec" });
    for (const [made, code] of [
      [expired, "CERT_HAS_EXPIRED"],
      [alone, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ] as const) {
      const { port } = await start({ cert: made.cert, key: made.private });
      expect(await failureOf(`https://localhost:${port}/`)).toBe(code);
    }
  });

  test("whose authority is an account's own, without its context", async () => {
    const { port } = await start();
    const failure = await failureOf(`https://localhost:${port}/`, { secureContext: undefined });
    expect(failure).toBe("UNABLE_TO_VERIFY_LEAF_SIGNATURE");
  });

  test("that is slow to connect, to answer or to end its answer", async () => {
    const silent = await listen(createHttpServer(() => undefined));
    const endless = createHttpServer((_request, response) => void response.writeHead(200).write("a"));
    const given = { connectMs: 300, answerMs: 300 };
    expect(await failureOf(`http://localhost:${silent}/`, given)).toBe("UND_ERR_HEADERS_TIMEOUT");
    expect(await failureOf(`http://localhost:${await listen(endless)}/`, given)).toBe("UND_ERR_BODY_TIMEOUT");
    const mute = await listen(createTcpServer(() => undefined));
    expect(await failureOf(`https://localhost:${mute}/`, given)).toBe("UND_ERR_CONNECT_TIMEOUT");
  });

  test("whose name is not known", async () => {
    const lookup: LookupFunction = (_host, _options, callback) =>
      callback(Object.assign(new Error("not found"), { code: "ENOTFOUND" }), []);
    expect(await failureOf("https://localhost:1/", { lookup })).toBe("ENOTFOUND");
  });
});

test("an answer of more bytes than are read is a failure", async () => {
  const port = await listen(createHttpServer((_request, response) => response.end("a".repeat(1025))));
  const url = `http://localhost:${port}/`;
  expect(await failureOf(url, { bodyBytesMax: 1024 })).toBe(BODY_TOO_LARGE);
  expect(await failureOf(url, { bodyBytesMax: 1025 })).toBe(`200 ${"a".repeat(1025)}`);
});

test("a redirect is the answer", async () => {
  const server = createHttpServer((_request, response) =>
    response.writeHead(307, { location: "http://localhost:1/" }).end(),
  );
  expect(await ask(`http://localhost:${await listen(server)}/`)).toBe("307 ");
});

test("a connection is used once unless it is kept", async () => {
  const connections: unknown[] = [];
  const server = createHttpServer((_request, response) => response.end("ok"));
  server.on("connection", (socket) => connections.push(socket));
  const url = `http://localhost:${await listen(server)}/`;
  for (const [isKept, count] of [
    [false, 3],
    [true, 1],
  ] as const) {
    const given = { lookup: toLoopback, connectMs: 2000, answerMs: 2000, connections: 1 };
    const agent = outsideAgent({ ...given, isKept });
    connections.length = 0;
    for (let index = 0; index < 3; index++) {
      await text((await undici().request(url, { dispatcher: agent })).body);
    }
    expect(connections).toHaveLength(count);
    await agent.destroy();
  }
});

test("an address that refuses does not keep a name from its next address", async () => {
  const { port } = await start();
  const lookup: LookupFunction = (_host, _options, callback) =>
    callback(null, [
      { address: "127.0.0.2", family: 4 },
      { address: "127.0.0.1", family: 4 },
    ]);
  expect(await ask(`https://localhost:${port}/`, { lookup })).toBe("200 ok");
});
