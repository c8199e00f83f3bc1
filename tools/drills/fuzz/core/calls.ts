import { toBinary, toJsonString, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { Client, credentials, Metadata, status } from "@grpc/grpc-js";
import { Http } from "../../http.ts";
import type { CorePorts } from "../../../../test/support/core-server.ts";

export const CLIENT_KINDS = [
  "grpc-js",
  "grpc json",
  "grpc-web",
  "grpc-web json",
  "connect",
  "connect json",
  "grpc-js bytes",
  "connect bytes",
  "connect json bytes",
] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

const TIMEOUT_MS = 20_000;

/** Calls the core by every protocol and client, in binary and in JSON, with messages or with bytes as they are. */
export class CoreCalls {
  readonly #grpc: Client;
  readonly #http: Http;
  readonly #transports: Readonly<Record<string, Transport>>;

  constructor({ http1, http2 }: CorePorts) {
    this.#grpc = new Client(http2, credentials.createInsecure());
    this.#http = new Http(() => `http://${http1}`);
    const options = { httpVersion: "2", baseUrl: `http://${http2}` } as const;
    this.#transports = {
      "grpc json": createGrpcTransport({ baseUrl: options.baseUrl, useBinaryFormat: false }),
      "grpc-web": createGrpcWebTransport(options),
      "grpc-web json": createGrpcWebTransport({ ...options, useBinaryFormat: false }),
      connect: createConnectTransport(options),
      "connect json": createConnectTransport({ ...options, useBinaryFormat: false }),
    };
  }

  /** The code that the call comes to, as Connect names it; "ok" when it is answered. */
  async call(
    kind: ClientKind,
    method: DescMethodUnary,
    message: Message,
    damage: (bytes: Buffer) => Buffer,
    headers: Readonly<Record<string, string>>,
  ): Promise<string> {
    const transport = this.#transports[kind];
    if (transport) return await byTransport(transport, method, message, headers);
    const binary = Buffer.from(toBinary(method.input, message));
    if (kind === "grpc-js") return await this.#byGrpc(method, binary, headers);
    if (kind === "grpc-js bytes") return await this.#byGrpc(method, damage(binary), headers);
    if (kind === "connect bytes") return await this.#byHttp(method, "proto", damage(binary), headers);
    const json = Buffer.from(toJsonString(method.input, message));
    return await this.#byHttp(method, "json", damage(json), headers);
  }

  close(): void {
    this.#grpc.close();
    this.#http.close();
  }

  async #byGrpc(
    method: DescMethodUnary,
    bytes: Buffer,
    headers: Readonly<Record<string, string>>,
  ): Promise<string> {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    return await new Promise((resolve) => {
      this.#grpc.makeUnaryRequest(
        pathOf(method),
        (sent: Buffer) => sent,
        (received: Buffer) => received,
        bytes,
        metadata,
        { deadline: Date.now() + TIMEOUT_MS },
        (error) => resolve(error ? (status[error.code] ?? "").toLowerCase() : "ok"),
      );
    });
  }

  async #byHttp(
    method: DescMethodUnary,
    type: "json" | "proto",
    body: Buffer,
    headers: Readonly<Record<string, string>>,
  ): Promise<string> {
    const sent = {
      ...headers,
      "content-type": `application/${type}`,
      "connect-protocol-version": "1",
      "content-length": String(body.length),
    };
    const answer = await this.#http.send(
      { method: "POST", path: pathOf(method), headers: sent, body },
      TIMEOUT_MS,
    );
    if (answer.status === 200) return "ok";
    if (!answer.text.startsWith("{")) return `${answer.status}`;
    return (JSON.parse(answer.text) as { code?: string }).code ?? `${answer.status}`;
  }
}

async function byTransport(
  transport: Transport,
  method: DescMethodUnary,
  message: Message,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  return await transport.unary(method, undefined, TIMEOUT_MS, { ...headers }, message).then(
    () => "ok",
    (error: unknown) => {
      const code = ConnectError.from(error).code;
      return code === Code.Canceled ? "canceled" : Code[code].replaceAll(/(?<!^)[A-Z]/g, "_$&").toLowerCase();
    },
  );
}

function pathOf(method: DescMethodUnary): string {
  return `/${method.parent.typeName}/${method.name}`;
}
