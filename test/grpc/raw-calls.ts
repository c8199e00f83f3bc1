import { once } from "node:events";
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from "node:http2";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";

const { createPaymentLink } = LinksService.method;

type Method = { readonly name: string; readonly parent: { readonly typeName: string } };

/** Begins a call by HTTP/2, whose body is still to come. */
export function begin(
  on: ClientHttp2Session,
  method: Method,
  headers: Readonly<Record<string, string>>,
): ClientHttp2Stream {
  const path = `/${method.parent.typeName}/${method.name}`;
  const stream = on.request({ ":method": "POST", ":path": path, ...headers });
  // A server that has answered may break off what it does not want to read.
  stream.on("error", () => undefined);
  return stream;
}

/** What came back: the HTTP status, gRPC's status from headers or trailers, and all text. */
export async function answerOf(
  stream: ClientHttp2Stream,
): Promise<{ status: number; grpc: string | undefined; text: string }> {
  const received: IncomingHttpHeaders = {};
  let text = "";
  stream.setEncoding("latin1");
  stream.on("response", (headers) => Object.assign(received, headers));
  stream.on("trailers", (headers) => Object.assign(received, headers));
  stream.on("data", (chunk: string) => (text += chunk));
  await Promise.race([once(stream, "end"), once(stream, "close")]);
  const grpc = received["grpc-status"] ?? /grpc-status: (\d+)/.exec(text)?.[1];
  const message = decodeURIComponent(String(received["grpc-message"] ?? ""));
  return { status: Number(received[":status"]), grpc: grpc?.toString(), text: `${message}${text}` };
}

/** A message as gRPC frames it. */
export function envelope(message: Uint8Array, flags = 0, length = message.length): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}

/** google.protobuf.Value, a list in a list. */
export function nested(depth: number): Buffer {
  let value = Buffer.alloc(0);
  for (let level = 0; level < depth; level++) {
    const list = Buffer.concat([Buffer.from([0x0a]), lengthOf(value), value]);
    value = Buffer.concat([Buffer.from([0x32]), lengthOf(list), list]);
  }
  const entry = Buffer.concat([Buffer.from([0x0a, 1, 0x61, 0x12]), lengthOf(value), value]);
  const struct = Buffer.concat([Buffer.from([0x0a]), lengthOf(entry), entry]);
  const field = createPaymentLink.input.fields.find(({ name }) => name === "metadata");
  return Buffer.concat([Buffer.from([((field?.number ?? 0) << 3) | 2]), lengthOf(struct), struct]);
}
function lengthOf(bytes: Uint8Array): Buffer {
  const varint: number[] = [];
  for (let rest = bytes.length; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...varint, rest]);
    varint.push((rest & 0x7f) | 0x80);
  }
}
