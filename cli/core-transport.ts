import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import type { ClientTls } from "../src/platform/tls.ts";

// A core that could not be reached is not asked again at once while there are others.
const REST_MS = 1000;
// Nothing of the request has left when one of these ends it.
const UNREACHED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

interface Peer {
  readonly transport: Transport;
  restsUntil: number;
}

/**
 * How a gateway reaches the cores in other processes: Connect over HTTP/1.1 with connections kept alive, the cores in
 * turn. One that cannot be reached is passed over; when none can be, or a connection broke under way, the error is
 * unavailable. A request that may have arrived is never sent a second time: that is for the caller to decide.
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
          failure = asUnavailable(error);
          if (!isUnreached(error)) break;
          peer.restsUntil = performance.now() + REST_MS;
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
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && UNREACHED.has(String(cause.code))) return true;
    // Node tries every address of a name and then throws all that went wrong.
    if (cause instanceof AggregateError) return cause.errors.every(isUnreached);
  }
  return false;
}

/** A connection that broke says nothing of the core's own: the caller may try again. */
function asUnavailable(error: unknown): unknown {
  const isBroken =
    error instanceof ConnectError &&
    error.code === Code.Aborted &&
    error.findDetails(ErrorInfoSchema).length === 0;
  if (!isBroken) return error;
  return new ConnectError("The connection to the core broke.", Code.Unavailable, undefined, undefined, error);
}
