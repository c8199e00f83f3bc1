import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Interceptor, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import { AS_TEXTS, holdsObjects, OBJECTS_HEADER, withObjects } from "../contract/object-texts.ts";
import type { ClientTls } from "../src/platform/tls.ts";

// Pause before the next request to a core that could not be reached, while there are others.
const REST_MS = 1000;
// With one of these codes nothing of the request has left this process.
const UNREACHED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);
// Codes of a failed connection, from the system or from Node's HTTP and TLS: ECONNRESET, EPIPE, HPE_INVALID_CONSTANT.
const OF_CONNECTION = /^(E[A-Z0-9]+$|EAI_|HPE_|ERR_SSL_|ERR_STREAM_)/;

interface Peer {
  readonly transport: Transport;
  restsUntil: number;
}

/**
 * Returns a gateway's transport to cores in other processes: Connect over HTTP/1.1 with keep-alive connections, the
 * cores in turn. It skips a core that cannot be reached. When none can be reached or a connection breaks, the error is
 * unavailable. A request that may have arrived is retried on another core only if it changes nothing: for a write, the
 * caller decides on the retry.
 */
export function coreTransport(baseUrls: readonly string[], tls: ClientTls = {}): Transport {
  const peers = baseUrls.map((baseUrl): Peer => {
    const agent = baseUrl.startsWith("https:")
      ? new SecureAgent({ keepAlive: true, ...tls })
      : new Agent({ keepAlive: true });
    const nodeOptions = { agent };
    return {
      transport: createConnectTransport({
        baseUrl,
        httpVersion: "1.1",
        useBinaryFormat: true,
        nodeOptions,
        interceptors: [takeObjectTexts],
      }),
      restsUntil: 0,
    };
  });
  let turn = 0;
  return {
    async unary(...call) {
      turn = (turn + 1) % peers.length;
      let failure: unknown;
      for (const peer of inOrder(peers, turn)) {
        try {
          return await peer.transport.unary(...call);
        } catch (error) {
          if (!isBroken(error)) throw error;
          failure = new ConnectError(
            "The connection to the core broke.",
            Code.Unavailable,
            undefined,
            undefined,
            error,
          );
          if (isUnreached(error)) peer.restsUntil = performance.now() + REST_MS;
          else if (!changesNothing(call[0])) break;
        }
      }
      throw failure;
    },
    stream() {
      return Promise.reject(new ConnectError("Gateways ask for no streams.", Code.Unimplemented));
    },
  };
}

/** Takes the free objects of responses as texts. A core of an earlier release sends them as before. */
const takeObjectTexts: Interceptor = (next) => async (request) => {
  const { output } = request.method;
  if (!holdsObjects(output)) return await next(request);
  request.header.set(OBJECTS_HEADER, AS_TEXTS);
  const response = await next(request);
  if (response.stream || response.header.get(OBJECTS_HEADER) !== AS_TEXTS) return response;
  return { ...response, message: withObjects(output, response.message) };
};

/** Returns the peers from `turn` on, with the resting ones last. */
function inOrder(peers: readonly Peer[], turn: number): Peer[] {
  const now = performance.now();
  const [resting, awake] = [[] as Peer[], [] as Peer[]];
  for (const peer of [...peers.slice(turn), ...peers.slice(0, turn)]) {
    (peer.restsUntil > now ? resting : awake).push(peer);
  }
  return [...awake, ...resting];
}

function isUnreached(error: unknown): boolean {
  // Node tries every address of a name, then throws all errors together.
  return causesOf(error).some((cause) =>
    cause instanceof AggregateError ? cause.errors.every(isUnreached) : hasNotConnected(cause),
  );
}

/** Returns whether the connection failed to open. An open one can end with the same codes after the request left. */
function hasNotConnected(error: Error): boolean {
  const step = "syscall" in error ? error.syscall : undefined;
  return UNREACHED.has(codeOf(error)) && (step === "connect" || step === "getaddrinfo");
}

/** Returns whether the connection failed. The core has not answered then, so the caller may retry. */
function isBroken(error: unknown): boolean {
  if (!(error instanceof ConnectError) || error.findDetails(ErrorInfoSchema).length > 0) return false;
  return error.code === Code.Aborted || causesOf(error).some((cause) => OF_CONNECTION.test(codeOf(cause)));
}

function changesNothing({ idempotency }: DescMethod): boolean {
  return idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
}

function causesOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

/** Returns Node's error code. Connect's own codes are numbers. */
function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
