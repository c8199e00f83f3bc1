import { generateKeyPairSync, randomBytes, sign, X509Certificate, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { generate } from "selfsigned";
import { costlyChain } from "./costly-chain.ts";

/** A server whose handshakes cost its clients much and itself little. */
export interface CostlyServer {
  readonly port: number;
  close(): Promise<void>;
}

// OpenSSL computes with no more.
const DHE_BYTES = 1250;
const RANDOM_AT = 11;
const RANDOM_BYTES = 32;
const TLS_DHE_RSA_WITH_AES_128_GCM_SHA256 = Buffer.from([0x00, 0x9e]);
const RSA_SHA256 = Buffer.from([4, 1]);
const RENEGOTIATION_INFO = Buffer.from([0xff, 1, 0, 1, 0]);

/** Starts a server of TLS 1.2 that has its clients compute with numbers of 10,000 bits (RFC 5246, 7.4.3). */
export async function startCostlyDhe(): Promise<CostlyServer> {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keyPair = {
    publicKey: publicKey.export({ type: "spki", format: "pem" }),
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }),
  };
  const { cert } = await generate([{ name: "commonName", value: "localhost" }], { keyPair });
  const certificate = new X509Certificate(cert).raw;
  const [modulus, value] = [costlyNumber(), costlyNumber()];
  // The server's value is below the modulus.
  value[0] = 1;
  const parts = [modulus, Buffer.from([2]), value];
  const numbers = Buffer.concat(parts.map((part) => sized(2, part)));
  return await listening(
    createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", (hello: Buffer) => {
        const clientRandom = hello.subarray(RANDOM_AT, RANDOM_AT + RANDOM_BYTES);
        sendHandshake(socket, { certificate, clientRandom, numbers, privateKey });
        // The client has computed.
        socket.once("data", () => socket.destroy());
      });
    }),
  );
}

/** Starts a server whose chain has so many certificates with a long exponent. */
export async function startCostlyChain(count: number): Promise<CostlyServer> {
  const server = createTlsServer(costlyChain(count), (socket) => socket.end());
  server.on("tlsClientError", () => undefined);
  return await listening(server);
}

interface Handshake {
  readonly certificate: Buffer;
  readonly clientRandom: Buffer;
  readonly numbers: Buffer;
  readonly privateKey: KeyObject;
}

function sendHandshake(socket: Socket, { certificate, clientRandom, numbers, privateKey }: Handshake): void {
  const random = randomBytes(RANDOM_BYTES);
  const signature = sign("sha256", Buffer.concat([clientRandom, random, numbers]), privateKey);
  const suite = TLS_DHE_RSA_WITH_AES_128_GCM_SHA256;
  const messages = [
    [
      2,
      Buffer.from([3, 3]),
      random,
      sized(1, Buffer.alloc(0)),
      suite,
      Buffer.alloc(1),
      sized(2, RENEGOTIATION_INFO),
    ],
    [11, sized(3, sized(3, certificate))],
    [12, numbers, RSA_SHA256, sized(2, signature)],
    [14],
  ] as const;
  for (const [type, ...content] of messages) {
    const message = Buffer.concat([Buffer.from([type]), sized(3, Buffer.concat(content))]);
    socket.write(Buffer.concat([Buffer.from([22, 3, 3]), sized(2, message)]));
  }
}

function costlyNumber(): Buffer {
  const number = randomBytes(DHE_BYTES);
  number[0] = 0x80 | (number[0] ?? 0);
  number[DHE_BYTES - 1] = 1 | (number[DHE_BYTES - 1] ?? 0);
  return number;
}

/** Puts a length of so many bytes before a value. */
function sized(byteCount: number, content: Buffer): Buffer {
  const length = Buffer.alloc(byteCount);
  length.writeUIntBE(content.length, 0, byteCount);
  return Buffer.concat([length, content]);
}

async function listening(server: Server): Promise<CostlyServer> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      await once(server.close(), "close");
    },
  };
}
