import { hash, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo, LookupFunction } from "node:net";
import { buffer } from "node:stream/consumers";
import { createServer, type TLSSocket, type TlsOptions } from "node:tls";
import type { Worker } from "node:worker_threads";
import { generate } from "selfsigned";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ClientCertificate, connectTls } from "../../src/platform/outgoing-tls.ts";
import type { PortStream } from "../../src/platform/outgoing-tls/port-stream.ts";
import { newAuthority } from "../support/certificates.ts";
import { startCostlyChain } from "../support/costly-handshakes.ts";
import { PerTurn } from "../support/event-loop.ts";
import { forFile } from "../support/for-file.ts";

const MIB = 1024 * 1024;
const toLoopback: LookupFunction = (_host, _options, callback) =>
  callback(null, [{ address: "127.0.0.1", family: 4 }]);
const authority = await newAuthority("Test CA");
const pair = await authority.issue();
const own = await authority.issue();
const certificate = new ClientCertificate({ certificate: own.cert, privateKey: own.key }, authority.cert);

/** Starts a server, and returns what connects to it. */
async function start(
  onSocket: (socket: TLSSocket) => void,
  options: TlsOptions = pair,
): Promise<((host?: string, owner?: string) => PortStream) & { readonly port: number }> {
  const server = createServer(options, onSocket);
  server.on("tlsClientError", () => undefined);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const connect = (host = "localhost", owner = "tnt_a") =>
    connectTls({ host, port, lookup: toLoopback, owner, certificate });
  return Object.assign(connect, { port });
}

const failureOf = async (stream: PortStream) => {
  const [error] = (await once(stream, "error")) as [NodeJS.ErrnoException];
  return error.code;
};

describe("a connection", () => {
  test("carries bytes both ways, however many", async () => {
    const connect = await start((socket) => socket.pipe(socket));
    const stream = connect();
    const sent = randomBytes(8 * MIB);
    stream.end(sent);
    const received = await buffer(stream);
    expect(hash("sha256", received)).toBe(hash("sha256", sent));
    expect(stream.bytesRead).toBe(sent.length);
  });

  test("has other events between its pieces, however much arrives at once on how many", async () => {
    const connect = await start((socket) => socket.end(Buffer.alloc(MIB)));
    const perTurn = new PerTurn();
    const receive = async (): Promise<number> => {
      let count = 0;
      const stream = connect().on("data", ({ length }: Buffer) => {
        count += length;
        perTurn.add(length);
      });
      await once(stream, "end");
      return count;
    };
    const received = await Promise.all(Array.from({ length: 10 }, receive));
    expect(new Set(received)).toEqual(new Set([MIB]));
    expect(perTurn.most).toBeLessThanOrEqual(16 * 1024);
  });

  test("shows the client's certificate, its host's name and no weaker protocol", async () => {
    const seen = new Promise<TLSSocket>((resolve) => {
      void start(resolve, { ...pair, requestCert: true, ca: authority.cert }).then((connect) =>
        connect().on("error", () => undefined),
      );
    });
    const socket = await seen;
    expect(socket.authorized).toBe(true);
    expect(socket.servername).toBe("localhost");
    expect(socket.getProtocol()).toBe("TLSv1.3");
    socket.destroy();
  });

  test("whose bytes are not read does not receive without end", async () => {
    let sent = 0;
    const connect = await start((socket) => {
      socket.on("error", () => undefined);
      const more = () => {
        sent += MIB;
        if (!socket.destroyed && sent < 64 * MIB) socket.write(Buffer.alloc(MIB), more);
      };
      more();
    });
    const stream = connect();
    await once(stream, "secureConnect");
    await once(stream, "readable");
    // Another connection does all of its work, and the first one receives no more than the buffers hold.
    const other = await start((socket) => socket.pipe(socket));
    await buffer(other().end(randomBytes(8 * MIB)));
    expect(stream.bytesRead).toBeLessThan(MIB);
    expect(sent).toBeLessThan(32 * MIB);
    stream.destroy();
  });
});

describe("a failure says why:", () => {
  test("another name", async () => {
    const connect = await start((socket) => socket.end());
    expect(await failureOf(connect("example.com"))).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
    expect(await failureOf(connect("127.0.0.1"))).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
  });

  test("a certificate that has ended, and one that no one issued", async () => {
    const day = 86_400_000;
    const attributes = [{ name: "commonName", value: "localhost" }];
    const past = { notBeforeDate: new Date(Date.now() - 2 * day), notAfterDate: new Date(Date.now() - day) };
    const expired = await generate(attributes, { keyType: "ec", ca: authority, ...past });
    const alone = await generate(attributes, { keyType: "ec" });
    for (const [made, code] of [
      [expired, "CERT_HAS_EXPIRED"],
      [alone, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ] as const) {
      const connect = await start((socket) => socket.end(), { cert: made.cert, key: made.private });
      expect(await failureOf(connect())).toBe(code);
    }
  });

  test("a name that is not known", async () => {
    const lookup: LookupFunction = (_host, _options, callback) =>
      callback(Object.assign(new Error("not found"), { code: "ENOTFOUND" }), []);
    expect(await failureOf(connectTls({ host: "localhost", port: 1, lookup, owner: "tnt_a" }))).toBe(
      "ENOTFOUND",
    );
  });

  test("a name without an address", async () => {
    const lookup: LookupFunction = (_host, _options, callback) => callback(null, []);
    expect(await failureOf(connectTls({ host: "localhost", port: 1, lookup, owner: "tnt_a" }))).toBe(
      "ENODATA",
    );
  });

  test("a fault in the thread, which is reported and leaves other connections as they are", async () => {
    vi.resetModules();
    const started = new Promise<Worker>((resolve) => {
      process.once("worker", resolve);
    });
    const fresh = await import("../../src/platform/outgoing-tls.ts");
    const reported = new Promise((resolve) => {
      fresh.onThreadFault(resolve);
    });
    const { port } = await start((socket) => socket.pipe(socket));
    const again = new fresh.ClientCertificate(null, authority.cert);
    const target = { host: "localhost", port, lookup: toLoopback, owner: "tnt_a", certificate: again };
    const stream = fresh.connectTls(target);
    await once(stream, "secureConnect");
    const worker = await started;
    worker.postMessage({ kind: "connect" }, []);
    expect(await reported).toBeInstanceOf(TypeError);
    expect((await buffer(stream.end("still here"))).toString()).toBe("still here");
    await worker.terminate();
  });

  test("the end of the thread, which the next connection starts again", async () => {
    vi.resetModules();
    const started = new Promise<Worker>((resolve) => {
      process.once("worker", resolve);
    });
    const fresh = await import("../../src/platform/outgoing-tls.ts");
    const { port } = await start((socket) => socket.pipe(socket));
    const again = new fresh.ClientCertificate({ certificate: own.cert, privateKey: own.key }, authority.cert);
    const target = { host: "localhost", port, lookup: toLoopback, owner: "tnt_a", certificate: again };
    const first = fresh.connectTls(target);
    await once(first, "secureConnect");
    const failure = failureOf(first);
    await (await started).terminate();
    expect(await failure).toBe("TLS_THREAD_ENDED");
    expect((await buffer(fresh.connectTls(target).end("still here"))).toString()).toBe("still here");
  });
});

describe("a server with costly handshakes", async () => {
  const costly = await forFile(startCostlyChain(30));
  const endless = await forFile(startCostlyChain(70));

  test("is cut off after more bytes than a handshake needs", async () => {
    const { port } = endless;
    const stream = connectTls({ host: "localhost", port, lookup: toLoopback, owner: "tnt_hostile" });
    expect(await failureOf(stream)).toBe("ERR_TLS_TOO_MANY_BYTES");
  });

  test("has its owner go on in another thread, with its certificate, and the rest of the usual one's end", async () => {
    vi.resetModules();
    const names: string[] = [];
    const note = (worker: Worker): void => void names.push(worker.threadName ?? "");
    process.on("worker", note);
    onTestFinished(() => void process.off("worker", note));
    const fresh = await import("../../src/platform/outgoing-tls.ts");
    const ownCertificate = new fresh.ClientCertificate(
      { certificate: own.cert, privateKey: own.key },
      authority.cert,
    );
    const open = (port: number, owner: string) =>
      fresh.connectTls({ host: "localhost", port, lookup: toLoopback, owner, certificate: ownCertificate });
    const { port } = await start((socket) => socket.pipe(socket));
    const reply = async (owner: string) => String(await buffer(open(port, owner).end("in time")));
    expect(await reply("tnt_hostile")).toBe("in time");
    const codes = await Promise.all(
      Array.from({ length: 8 }, async () => await failureOf(open(costly.port, "tnt_hostile"))),
    );
    expect(codes.filter((code) => code === "ERR_TLS_COSTLY_HANDSHAKE").length).toBeGreaterThan(4);
    // It is known by now, or soon.
    const next = async () => await failureOf(open(costly.port, "tnt_hostile"));
    await expect.poll(next, { timeout: 10_000 }).toBe("SELF_SIGNED_CERT_IN_CHAIN");
    let endedCount = 0;
    const again = Array.from({ length: 8 }, async () => {
      const code = await failureOf(open(costly.port, "tnt_hostile"));
      endedCount++;
      return code;
    });
    for (let count = 0; count < 3; count++) expect(await reply("tnt_b")).toBe("in time");
    expect(endedCount).toBeLessThan(again.length);
    // There they wait for each other, and none is ended for another one.
    expect(new Set(await Promise.all(again))).toEqual(new Set(["SELF_SIGNED_CERT_IN_CHAIN"]));
    expect(await reply("tnt_hostile")).toBe("in time");
    expect(names).toEqual(["outgoing TLS", "costly outgoing TLS"]);
  });
});
