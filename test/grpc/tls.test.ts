import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { credentials } from "@grpc/grpc-js";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { get as getSecurely } from "node:https";
import { connect, type AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { connect as connectSecurely } from "node:tls";
import { describe, expect, test } from "vitest";
import { Certificates } from "../../cli/serve/certificates.ts";
import { coreTransport } from "../../cli/core/core-transport.ts";
import { readClientTls, readServerTls } from "../../cli/serve/tls.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { createGateway } from "../../gateway/app.ts";
import { readConfig } from "../../src/platform/config/config.ts";
import { newAuthority, writeFiles } from "../support/certificates.ts";
import { openCorePorts } from "../support/core-server.ts";
import { forFile } from "../support/for-file.ts";
import { failureOf, GrpcClient } from "../support/grpc-client.ts";
import { startService } from "../support/service.ts";

const { listSigningKeys } = PricingService.method;

const service = await forFile(startService());
const authority = await newAuthority("Ours");
const stranger = await newAuthority("Another");
const [server, client] = [await authority.issue(), await authority.issue()];
const ports = await forFile(
  openCorePorts(service.core, {
    ...server,
    ca: authority.cert,
    requestCert: true,
    rejectUnauthorized: true,
  }),
);

const named = (address: string): string => address.replace("127.0.0.1", "localhost");
const pem = (text: string): Buffer => Buffer.from(text);

describe("a core that asks for client certificates", () => {
  test("grpc-js with a certificate of the authority is let in", async () => {
    const tls = credentials.createSsl(pem(authority.cert), pem(client.key), pem(client.cert));
    const grpc = new GrpcClient(named(ports.http2), tls);
    expect((await grpc.unary(listSigningKeys, {}, service.internal.headers)).keys).not.toEqual([]);
    // The certificate alone is not enough.
    expect(await failureOf(grpc.unary(listSigningKeys, {}))).toMatchObject({ reason: "invalid_core_token" });
    grpc.close();
  });

  test("without one, or with a stranger's, a client gets no answer", async () => {
    const other = await stranger.issue();
    const all = [
      credentials.createSsl(pem(authority.cert)),
      credentials.createSsl(pem(authority.cert), pem(other.key), pem(other.cert)),
      credentials.createInsecure(),
    ];
    for (const tls of all) {
      const grpc = new GrpcClient(named(ports.http2), tls);
      const failure = await failureOf(grpc.unary(listSigningKeys, {}, service.internal.headers));
      expect(failure).toMatchObject({ status: "UNAVAILABLE", reason: undefined });
      grpc.close();
    }
  });

  test.each(["http1", "http2"] as const)("by HTTP/1.1 on %s neither gets one", async (port) => {
    for (const identity of [{}, await stranger.issue()]) {
      const baseUrl = `https://${named(ports[port])}`;
      const nodeOptions = { ca: authority.cert, ...identity };
      const transport = createConnectTransport({ baseUrl, httpVersion: "1.1", nodeOptions });
      const asked = createClient(PricingService, transport).listSigningKeys({}, service.internal);
      await expect(asked).rejects.toThrow(/certificate|ECONNRESET|hang up|EPIPE|aborted/);
    }
  });

  test("gateways reach its HTTP/1.1 port, and HTTP/1.1 clients its first port as well", async () => {
    const tls = { ca: authority.cert, ...client };
    const transports = [
      coreTransport([`https://${named(ports.http1)}`], tls),
      createConnectTransport({
        baseUrl: `https://${named(ports.http2)}`,
        httpVersion: "1.1",
        nodeOptions: tls,
      }),
      createGrpcTransport({ baseUrl: `https://${named(ports.http2)}`, nodeOptions: tls }),
    ];
    for (const transport of transports) {
      const { keys } = await createClient(PricingService, transport).listSigningKeys({}, service.internal);
      expect(keys).not.toEqual([]);
    }
  });
});

describe("a gateway under TLS", () => {
  test("answers https, and shows the renewed certificate from the next connection on", async () => {
    const { paths, rewrite, remove } = await writeFiles({ cert: server.cert, key: server.key });
    const files = { ...paths, clientCa: undefined };
    const certificates = new Certificates();
    const { transport } = service.core;
    const gateway = createGateway({
      transport,
      services: [PricingService],
      coreToken: "token-of-the-tests-core",
      versions: [],
      logger: false,
      publicUrl: "http://127.0.0.1:8080",
      mediaBase: "http://127.0.0.1:8080/media",
      isReady: async () => true,
      tls: certificates.read(files),
    });
    certificates.keep(gateway.server, files);
    await gateway.listen({ host: "127.0.0.1", port: 0 });
    const { port } = gateway.server.address() as AddressInfo;
    const get = async (ca: string): Promise<number | undefined> => {
      const request = getSecurely(`https://localhost:${port}/healthz`, { ca, agent: false });
      const [response] = (await once(request, "response")) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    expect(await get(authority.cert)).toBe(200);
    await expect(get(stranger.cert)).rejects.toThrow(/self-signed|unable to verify/);
    const renewed = await stranger.issue();
    await rewrite("cert", renewed.cert);
    // Half renewed, it goes on with the old one.
    expect(() => certificates.renew()).toThrow(/cannot be used together/);
    expect(await get(authority.cert)).toBe(200);
    await rewrite("key", renewed.key);
    certificates.renew();
    expect(await get(stranger.cert)).toBe(200);
    await expect(get(authority.cert)).rejects.toThrow(/self-signed|unable to verify/);
    await gateway.close();
    await remove();
  });

  test.each([true, false])("has Strict-Transport-Security on every answer: with TLS %s", async (isSecure) => {
    const { transport } = service.core;
    const gateway = createGateway({
      transport,
      services: [PricingService, LedgerService],
      coreToken: "token-of-the-tests-core",
      versions: [],
      logger: false,
      publicUrl: "https://localhost",
      mediaBase: "https://localhost/media",
      isReady: async () => true,
      ...(isSecure ? { tls: server } : {}),
    });
    await gateway.listen({ host: "127.0.0.1", port: 0 });
    const { port } = gateway.server.address() as AddressInfo;
    const lines = [
      "GET /healthz HTTP/1.1",
      "GET /v1/payments HTTP/1.1",
      "GET /nowhere HTTP/1.1",
      "GET /%zz HTTP/1.1",
      "DELETE /healthz HTTP/1.1",
      "GET /pay/unknown HTTP/1.1",
      "GET /console/signin HTTP/1.1",
      "GET /docs HTTP/1.1",
      "GET / HTTP/9.9",
    ];
    const found = await Promise.all(
      lines.map(async (line) => {
        const socket = isSecure
          ? connectSecurely({ port, host: "localhost", ca: authority.cert })
          : connect({ port, host: "127.0.0.1" });
        socket.write(`${line}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
        const [head = ""] = (await textOf(socket)).split("\r\n\r\n");
        return [line, /^strict-transport-security: (.*)$/im.exec(head)?.[1]];
      }),
    );
    expect(found).toEqual(lines.map((line) => [line, isSecure ? "max-age=31536000" : undefined]));
    await gateway.close();
  });
});

describe("files that cannot be used stop the start with a line for the operator", () => {
  test.each([
    [{ TLS_CERT: "a.pem" }, "TLS_CERT and TLS_KEY are set together."],
    [{ CORE_TLS_KEY: "a.pem" }, "CORE_TLS_CERT and CORE_TLS_KEY are set together."],
    [{ CORE_CLIENT_KEY: "a.pem" }, "CORE_CLIENT_CERT and CORE_CLIENT_KEY are set together."],
    [{ CORE_TLS_CLIENT_CA: "a.pem" }, "CORE_TLS_CLIENT_CA needs CORE_TLS_CERT and CORE_TLS_KEY."],
    [{ CALLBACK_TLS_PORT: "8443" }, "CALLBACK_TLS_PORT needs TLS_CERT and TLS_KEY."],
  ])("%j", (env, message) => {
    expect(() => readConfig(env)).toThrow(message);
  });

  test("missing ones, and ones that are no PEM", async () => {
    expect(() => readServerTls({ cert: "/nowhere/a.pem", key: "b", clientCa: undefined })).toThrow(
      "The TLS file /nowhere/a.pem cannot be read: ENOENT.",
    );
    const { paths, remove } = await writeFiles({ ca: "no certificate" });
    expect(() => readClientTls({ ca: paths.ca, cert: undefined, key: undefined })).toThrow(/cannot be used/);
    await remove();
  });
});
