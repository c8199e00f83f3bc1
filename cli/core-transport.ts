import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import type { ClientTls } from "../src/platform/tls.ts";

// A core that could not be reached is not asked again at once while there are others.
const REST_MS = 1000;
// Nothing of the request has left when one of these ends it.
const UNREACHED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);
// What the system, or Node's HTTP and TLS, say of a connection: ECONNRESET, EPIPE, HPE_INVALID_CONSTANT.
const OF_CONNECTION = /^(E[A-Z0-9]+$|EAI_|HPE_|ERR_SSL_|ERR_STREAM_)/;

interface Peer {
  readonly transport: Transport;
  restsUntil: number;
}

/**
 * How a gateway reaches the cores in other processes: Connect over HTTP/1.1 with connections kept alive, the cores in
 * turn. One that cannot be reached is passed over; when none can be, or a connection broke under way, the error is
 * unavailable. A request that may have arrived is sent to another core only if it changes nothing: whether a write is
 * tried again is for the caller to decide.
 */
export function coreTransport(baseUrls: readonly string[], tls: ClientTls = {}): Transport {
  const peers = baseUrls.map((baseUrl): Peer => {
    const agent = baseUrl.startsWith("https:")
      ? new SecureAgent({ keepAlive: true, ...tls })
      : new Agent({ keepAlive: true });
    const nodeOptions = { agent };
    return {
      transport: createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: true, nodeOptions }),
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

/** From the one whose turn it is, those that rest last. */
function inOrder(peers: readonly Peer[], turn: number): Peer[] {
  const now = performance.now();
  const [resting, awake] = [[] as Peer[], [] as Peer[]];
  for (const peer of [...peers.slice(turn), ...peers.slice(0, turn)]) {
    (peer.restsUntil > now ? resting : awake).push(peer);
  }
  return [...awake, ...resting];
}

function isUnreached(error: unknown): boolean {
  // Node tries every address of a name and then throws all that went wrong.
  return causesOf(error).some((cause) =>
    cause instanceof AggregateError ? cause.errors.every(isUnreached) : hasNotConnected(cause),
  );
}

/** A connection that was made may end by the same codes, when the request has left. */
function hasNotConnected(error: Error): boolean {
  const step = "syscall" in error ? error.syscall : undefined;
  return UNREACHED.has(codeOf(error)) && (step === "connect" || step === "getaddrinfo");
}

/** Whether it is the connection that failed: of that the core has said nothing, so the caller may try again. */
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

/** As Node gives it; Connect's own are numbers. */
function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
