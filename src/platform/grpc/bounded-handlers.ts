import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import {
  encodeEnvelope,
  pipe,
  readAllBytes,
  transformSplitEnvelope,
  type UniversalHandler,
  type UniversalServerRequest,
} from "@connectrpc/connect/protocol";
import { invalidRequest, toConnectError } from "../rpc/errors.ts";
import { bytesMaxOf, requireDecodable } from "./message-bounds.ts";
import { withPlainMessage } from "./status-message.ts";

const ENVELOPED = /^application\/(grpc|connect\+)/i;
const JSON_TYPE = /json\b/i;
const ARRIVAL_MS = 30_000;

type Bytes = AsyncIterable<Uint8Array>;

/** Applies each RPC's limit of bytes and a time limit to its requests, and refuses messages that cannot be decoded. */
export function boundHandlers(router: ConnectRouter): void {
  router.handlers.splice(0, Infinity, ...router.handlers.map((handler) => bounded(handler)));
}

function bounded(handler: UniversalHandler): UniversalHandler {
  const { method } = handler;
  const isStream = method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming";
  const handle = async (request: UniversalServerRequest) => {
    const type = request.header.get("content-type") ?? "";
    const given = request.body as Bytes;
    const body = isStream ? given : arriving(given);
    const check = JSON_TYPE.test(type) ? () => undefined : requireDecodable;
    const checked = ENVELOPED.test(type) ? messages(method, body, check) : message(method, body, check);
    const response = await handler({ ...request, body: checked });
    if (!response.body) return response;
    return { ...response, body: withPlainMessage(response.body, response.trailer) };
  };
  return Object.assign(handle, { ...handler });
}

async function* message(method: DescMethod, body: Bytes, check: typeof requireDecodable): Bytes {
  const bytes = await readAllBytes(body, bytesMaxOf(method));
  check(method, bytes);
  yield bytes;
}

async function* messages(method: DescMethod, body: Bytes, check: typeof requireDecodable): Bytes {
  for await (const { flags, data } of pipe(body, transformSplitEnvelope(bytesMaxOf(method)))) {
    if (flags !== 0) throw badFlags();
    check(method, data);
    yield encodeEnvelope(flags, data);
  }
}

function badFlags(): ConnectError {
  return toConnectError(invalidRequest(null, "A message is compressed or has flags that mean nothing here."));
}

/** Passes a body on. Error: resource_exhausted if its end does not arrive in time. */
async function* arriving(body: Bytes): Bytes {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(
      new ConnectError(`The request did not arrive within ${ARRIVAL_MS / 1000} s.`, Code.ResourceExhausted),
    );
  }, ARRIVAL_MS);
  // It is not returned: that would destroy the request, and with it the connection of its answer.
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await Promise.race([late, chunks.next()]);
      if (done) return;
      yield value;
    }
  } finally {
    clearTimeout(timer);
  }
}
