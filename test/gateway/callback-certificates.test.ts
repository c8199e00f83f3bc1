import { createRouterTransport } from "@connectrpc/connect";
import { constants, X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, type ConnectionOptions } from "node:tls";
import { Agent, request } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { Certificates } from "../../cli/serve/certificates.ts";
import { readServerTls } from "../../cli/serve/tls.ts";
import { createCallbackGateway, createGateway } from "../../gateway/app.ts";
import { ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { newAuthority, writeFiles, type Pair } from "../support/certificates.ts";
import { forFile } from "../support/for-file.ts";

const at = { host: "127.0.0.1", port: 0 };

const authority = await newAuthority("Bank CA");
const [server, client] = await Promise.all([authority.issue(), authority.issue()]);
const { paths, rewrite, remove } = await writeFiles({ cert: server.cert, key: server.key });
await forFile(Promise.resolve({ close: remove }));
const files = { ...paths, clientCa: undefined };
const taken: Uint8Array[][] = [];
const transport = createRouterTransport(({ service }) => {
  service(ProvidersService, {
    admitCallback: () => ({}),
    takeCallback: ({ certificates }) => {
      taken.push(certificates);
      return {};
    },
  });
});
const common = { transport, coreToken: "t", versions: [{ name: "v1" }], logger: false } as const;

async function startCallbacks() {
  const asking = { ...files, asksForAny: true };
  const app = createCallbackGateway({ ...common, tls: readServerTls(asking) });
  const certificates = new Certificates();
  certificates.keep(app.server, asking);
  onTestFinished(async () => await app.close());
  const address = await app.listen({ ...at });
  return { app, certificates, address, port: Number(new URL(address).port) };
}

async function startGateway(): Promise<string> {
  const gateway = createGateway({
    ...common,
    services: [],
    publicUrl: "https://localhost",
    mediaBase: "https://localhost/media",
    isReady: async () => await Promise.resolve(true),
    tls: readServerTls(files),
  });
  onTestFinished(async () => await gateway.close());
  return await gateway.listen({ ...at });
}

async function send(address: string, identity: Partial<Pair> = {}, path = "/providers/s/pix") {
  const dispatcher = new Agent({ connect: { ca: authority.cert, servername: "localhost", ...identity } });
  try {
    const { statusCode, headers } = await request(`${address}${path}`, {
      method: "POST",
      body: "{}",
      dispatcher,
    });
    return { statusCode, headers };
  } finally {
    await dispatcher.destroy();
  }
}

const shownBy = async (address: string, identity?: Partial<Pair>) => {
  expect((await send(address, identity)).statusCode).toBe(200);
  return taken.pop()?.map((der) => Buffer.from(der));
};
const raw = ({ cert }: Pair) => new X509Certificate(cert).raw;

function open(port: number, options: ConnectionOptions = {}) {
  return connect({ ...at, port, ca: authority.cert, servername: "localhost", ...client, ...options });
}

test("the gateway's own port asks for no certificate", async () => {
  expect(await shownBy(await startGateway(), client)).toEqual([]);
});

test("the port of callbacks passes a certificate on with its chain, demands none, and serves nothing else", async () => {
  const { address } = await startCallbacks();
  const chained = { ...client, cert: `${client.cert}\n${authority.cert}` };
  expect(await shownBy(address, chained)).toEqual([raw(client), new X509Certificate(authority.cert).raw]);
  expect((await shownBy(address, client))?.[0]).toEqual(raw(client));
  expect(await shownBy(address)).toEqual([]);
  const other = await send(address, client, "/v1/payments");
  expect(other.statusCode).toBe(404);
  expect(other.headers["strict-transport-security"]).toBe("max-age=31536000");
});

test("a certificate of an authority that nobody knows is passed on as well, for the core to judge", async () => {
  const { address } = await startCallbacks();
  const stranger = await (await newAuthority("Another CA")).issue();
  expect((await shownBy(address, stranger))?.[0]).toEqual(raw(stranger));
});

test("of many callbacks at once each has its own certificate", async () => {
  const { address } = await startCallbacks();
  const identities = await Promise.all(Array.from({ length: 12 }, async () => await authority.issue()));
  taken.length = 0;
  await Promise.all(identities.map(async (identity) => await send(address, identity)));
  const texts = (all: readonly Uint8Array[]) => all.map((der) => Buffer.from(der).toString("hex")).toSorted();
  expect(texts(taken.flatMap(([own]) => own ?? []))).toEqual(texts(identities.map(raw)));
});

test.each(["TLSv1.2", "TLSv1.3"] as const)(
  "by %s a session is never resumed, as a resumed one has no chain of certificates",
  async (version) => {
    const { port } = await startCallbacks();
    const versions = { minVersion: version, maxVersion: version };
    const sessions: Buffer[] = [];
    const first = open(port, versions).on("session", (session: Buffer) => sessions.push(session));
    const call =
      "POST /providers/s/pix HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    first.end(call).resume();
    await once(first, "close");
    for (const session of sessions) {
      const again = open(port, { ...versions, session });
      await once(again, "secureConnect");
      expect(again.isSessionReused()).toBe(false);
      again.destroy();
    }
    expect(taken.pop()?.map((der) => Buffer.from(der))[0]).toEqual(raw(client));
  },
);

test("a client whose handshake has no forward secrecy is refused", async () => {
  const { port } = await startCallbacks();
  const secureOptions = constants.SSL_OP_NO_TLSv1_3;
  const refused = open(port, { secureOptions, ciphers: "AES128-GCM-SHA256" });
  await expect(once(refused, "secureConnect")).rejects.toThrow(/handshake failure/);
});

test("a renewed certificate is shown from the next connection on, and clients are asked as before", async () => {
  const { address, certificates, app } = await startCallbacks();
  const another = await newAuthority("Another CA");
  expect(await shownBy(address)).toEqual([]);
  const renewed = await another.issue();
  await rewrite("cert", renewed.cert);
  await rewrite("key", renewed.key);
  certificates.renew();
  await expect(send(address)).rejects.toThrow(/self-signed|unable to verify/);
  const { port } = app.server.address() as AddressInfo;
  const socket = open(port, { ca: another.cert });
  socket.end("POST /providers/s/pix HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
  await once(socket.resume(), "close");
  expect(taken.pop()?.map((der) => Buffer.from(der))[0]).toEqual(raw(client));
  await rewrite("cert", server.cert);
  await rewrite("key", server.key);
});

test("a request in progress ends when the port closes, and new connections are refused", async () => {
  const { app, address, port } = await startCallbacks();
  const socket = open(port);
  socket.write(
    "POST /providers/s/pix HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{",
  );
  let answer = "";
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
  const begun = Promise.withResolvers<void>();
  app.server.once("request", () => begun.resolve());
  await begun.promise;
  const closed = app.close();
  await expect
    .poll(async () => await send(address).catch(() => "refused"), { timeout: 10_000 })
    .toBe("refused");
  socket.write("}");
  await Promise.all([closed, once(socket, "close")]);
  expect(answer).toMatch(/^HTTP\/1.1 200/);
});
