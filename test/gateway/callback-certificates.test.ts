import { createRouterTransport } from "@connectrpc/connect";
import { X509Certificate } from "node:crypto";
import { connect } from "node:tls";
import { Agent, request } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { openCallbackPort } from "../../cli/callback-port.ts";
import { createGateway } from "../../gateway/app.ts";
import { ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { newAuthority, type Pair } from "../support/certificates.ts";
import { HostileChains, ownMs } from "../support/hostile-chain.ts";

const at = { host: "127.0.0.1", port: 0 };
// With the chains below the event loop is busy for more than a second where it verifies them.
const OWN_MS = 700;
const COUNT = 5;
const MANY = 100;
const LONG = 40;
const SHORT = 9;

const authority = await newAuthority("Bank CA");
const [server, client] = await Promise.all([authority.issue(), authority.issue()]);
const hostile = new HostileChains();
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
  const faults: unknown[] = [];
  const { app, front } = openCallbackPort(common, server, (error) => faults.push(error));
  const address = await front.listen(at);
  onTestFinished(async () => {
    await app.close();
    expect(faults).toEqual([]);
  });
  return { app, front, address, port: Number(new URL(address).port) };
}

async function startGateway(): Promise<string> {
  const gateway = createGateway({
    ...common,
    services: [],
    publicUrl: "https://localhost",
    mediaBase: "https://localhost/media",
    isReady: async () => await Promise.resolve(true),
    tls: server,
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

test("the gateway's own port asks for no certificate", async () => {
  const address = await startGateway();
  expect(await shownBy(address, client)).toEqual([]);
  const spent = await ownMs(async () => await hostile.attack(Number(new URL(address).port), COUNT, LONG));
  expect(spent).toBeLessThan(OWN_MS);
});

test("the port of callbacks passes a certificate on, demands none, and serves nothing else", async () => {
  const { address } = await startCallbacks();
  expect((await shownBy(address, client))?.[0]).toEqual(raw(client));
  expect(await shownBy(address)).toEqual([]);
  const other = await send(address, client, "/v1/payments");
  expect(other.statusCode).toBe(404);
  expect(other.headers["strict-transport-security"]).toBe("max-age=31536000");
});

test("of many callbacks at once each has its own certificate", async () => {
  const { address } = await startCallbacks();
  const identities = await Promise.all(Array.from({ length: 12 }, async () => await authority.issue()));
  taken.length = 0;
  await Promise.all(identities.map(async (identity) => await send(address, identity)));
  const texts = (all: readonly Uint8Array[]) => all.map((der) => Buffer.from(der).toString("hex")).toSorted();
  expect(texts(taken.flatMap(([own]) => own ?? []))).toEqual(texts(identities.map(raw)));
});

test("a renewed certificate is shown from the next connection on", async () => {
  const { address, front } = await startCallbacks();
  const another = await newAuthority("Another CA");
  expect(await shownBy(address)).toEqual([]);
  front.setSecureContext(await another.issue());
  await expect(send(address)).rejects.toThrow(/self-signed|unable to verify/);
});

test("chains that take long to verify hold neither the event loop nor another client", async () => {
  const { address, port } = await startCallbacks();
  const spent = await ownMs(async () => {
    // What is too long is cut off before it is verified.
    expect(await hostile.attack(port, COUNT, LONG)).toBe(0);
    const attack = hostile.attack(port, MANY, SHORT, "127.0.0.2");
    expect(await shownBy(address, client)).toHaveLength(2);
    // Its network has spent what it may.
    expect(await attack).toBeLessThan(MANY);
  });
  expect(spent).toBeLessThan(OWN_MS);
  expect(await shownBy(address, client)).toHaveLength(2);
});

test("a request in progress ends when the port closes, and new connections are refused", async () => {
  const { app, address, port } = await startCallbacks();
  const socket = connect({ ...at, port, ca: authority.cert, servername: "localhost", ...client });
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
  await closed;
  expect(answer).toMatch(/^HTTP\/1.1 200/);
});
