import { AsyncLocalStorage } from "node:async_hooks";
import { constants } from "node:crypto";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { createServer as createTlsServer, type DetailedPeerCertificate, type TLSSocket } from "node:tls";
import { parentPort, workerData } from "node:worker_threads";
import { Clients, type Newcomer } from "./clients.ts";
import { HEAD_BYTES, TOKEN_BYTES, type FromThread, type ThreadData, type ToThread } from "./protocol.ts";

// Does the handshakes of one port, and passes the plain bytes on to the process's own server.

const HANDSHAKE_MS = 10_000;
const CHAIN_MAX = 10;

const given = workerData as ThreadData;

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
const report = (message: FromThread): void => parentPort?.postMessage(message);
const clients = new Clients(given.bounds);
const relayed = new Set<TLSSocket>();
const current = new AsyncLocalStorage<Newcomer>();

const contextOf = ({ cert, key, ca }: ThreadData["tls"]) => ({
  cert,
  key,
  ...(ca === undefined ? {} : { ca }),
  ciphers:
    "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:ECDHE+AESGCM:ECDHE+CHACHA20",
  // A resumed session has no chain of certificates, and another handshake would have no bound.
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
});

const tls = createTlsServer({
  ...contextOf(given.tls),
  requestCert: true,
  rejectUnauthorized: given.tls.ca !== undefined,
  ALPNProtocols: [...given.protocols],
  handshakeTimeout: HANDSHAKE_MS,
});
tls.on("secureConnection", (client: TLSSocket) => {
  const newcomer = current.getStore();
  if (!newcomer) return void client.destroy();
  const { below } = newcomer;
  clients.welcome(newcomer);
  // Without an authority of the port's own, only the process can judge whom a certificate shows.
  // Its time is known after this event.
  if (!client.authorized) setImmediate(() => clients.charge(newcomer, below.spentMs));
  relay(client, newcomer.socket);
  return below.release();
});
tls.on("tlsClientError", (_error, client: TLSSocket) => client.destroy());

const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
  const newcomer = clients.admit(socket);
  // What TLS reports of a connection, it reports in the context in which it got the connection.
  if (newcomer) current.run(newcomer, () => tls.emit("connection", newcomer.below));
});
server.maxConnections = given.bounds.all;
server.once("error", (error: NodeJS.ErrnoException) => {
  report({ kind: "refused", code: error.code ?? "", message: error.message });
});
server.listen({ host: given.host, port: given.port, reusePort: given.isShared }, () => {
  const { address, port } = server.address() as AddressInfo;
  report({ kind: "listening", address, port });
});

parentPort?.on("message", (message: ToThread) => {
  if (message.kind === "renew") return tls.setSecureContext(contextOf(message.tls));
  server.close();
  if (message.kind === "stop") return report({ kind: "stopped" });
  clients.clear();
  if (relayed.size === 0) return parentPort?.close();
  for (const client of relayed) {
    client.once("close", () => {
      if (relayed.size === 0) parentPort?.close();
    });
  }
});

/** Introduces a client to the process's server, and passes on what both send. */
function relay(client: TLSSocket, raw: Socket): void {
  relayed.add(client);
  const local = connect({ path: given.path, allowHalfOpen: true });
  local.write(introduction(client, raw));
  local.once("data", (answer: Buffer) => {
    // Its first byte is the answer to the introduction.
    if (answer.length > 1) client.write(answer.subarray(1));
    client.pipe(local);
    local.pipe(client);
  });
  client.on("error", () => client.destroy());
  client.once("close", () => {
    relayed.delete(client);
    local.destroy();
  });
  // An end and a close of the process's socket look the same from here.
  const end = (): void => clients.rest(client);
  local.on("error", () => local.destroy());
  local.once("end", end);
  local.once("close", end);
}

function introduction(client: TLSSocket, { remoteAddress, remotePort }: Socket): Buffer {
  const certificates = chainOf(client.getPeerCertificate(true)).map((der) => der.toString("base64"));
  const protocol = client.alpnProtocol === false ? "" : (client.alpnProtocol ?? "");
  const text = JSON.stringify({ address: remoteAddress, port: remotePort, protocol, certificates });
  const head = Buffer.alloc(HEAD_BYTES);
  head.set(given.token);
  head.writeUInt32BE(Buffer.byteLength(text), TOKEN_BYTES);
  return Buffer.concat([head, Buffer.from(text)]);
}

function chainOf(own: DetailedPeerCertificate): Buffer[] {
  const chain: Buffer[] = [];
  const seen = new Set<DetailedPeerCertificate>();
  for (let next: DetailedPeerCertificate | undefined = own; next && !seen.has(next);) {
    // Without a certificate Node gives an empty object.
    if ((next.raw as Buffer | undefined) === undefined || chain.length >= CHAIN_MAX) break;
    chain.push(next.raw);
    seen.add(next);
    next = next.issuerCertificate as DetailedPeerCertificate | undefined;
  }
  return chain;
}
