import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import type { ClientTls } from "../../src/platform/config/tls.ts";
import { isBroken, isUnreached } from "./connection-errors.ts";
import { CorePeer } from "./core-peer.ts";
import { inOrder } from "./core-peers.ts";

// A core that has not answered a call for this long is probed beside it, again and again.
const PATIENCE_MS = 1000;

/** A transport to several cores. */
export interface CoreTransport extends Transport {
  /** One for each core, also for those that it passes over. */
  readonly each: readonly Transport[];
}

interface Call<Answer> {
  readonly isRead: boolean;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
  readonly ask: (
    transport: Transport,
    signal: AbortSignal | undefined,
    timeoutMs: number | undefined,
  ) => Promise<Answer>;
}

/**
 * Returns a gateway's transport to cores in other processes: Connect over HTTP/1.1 with keep-alive connections, each
 * method to the cores in turn. It passes over a core that cannot be reached or is silent. When none can be reached or a connection
 * breaks, the error is unavailable. A request that may have arrived is retried on another core only if it changes
 * nothing: for a write, the caller decides on the retry.
 */
export function coreTransport(baseUrls: readonly string[], tls: ClientTls = {}): CoreTransport {
  const peers = baseUrls.map((baseUrl) => new CorePeer(baseUrl, tls));
  // By method: a request makes two calls, which a common turn would send to the same two cores again and again.
  const turns = new Map<DescMethod, number>();
  return {
    each: peers.map(({ transport }) => transport),
    async unary(method, signal, timeoutMs, ...rest) {
      const turn = ((turns.get(method) ?? 0) + 1) % peers.length;
      turns.set(method, turn);
      return await askInOrder(inOrder(peers, turn), {
        isRead: changesNothing(method),
        signal,
        timeoutMs,
        ask: async (transport, either, leftMs) => await transport.unary(method, either, leftMs, ...rest),
      });
    },
    stream() {
      return Promise.reject(new ConnectError("Gateways ask for no streams.", Code.Unimplemented));
    },
  };
}

/** Returns the answer of the first core that gives one. All of them together have the call's time. */
async function askInOrder<Answer>(peers: readonly CorePeer[], call: Call<Answer>): Promise<Answer> {
  const startedMs = performance.now();
  let failure: unknown;
  for (const [index, peer] of peers.entries()) {
    const leftMs = call.timeoutMs && Math.ceil(call.timeoutMs - (performance.now() - startedMs));
    if (failure !== undefined && leftMs !== undefined && leftMs <= 0) break;
    try {
      const answer = await askWatched(peer, peers.slice(index + 1), { ...call, timeoutMs: leftMs });
      peer.wake();
      return answer;
    } catch (error) {
      if (!isBroken(error)) throw error;
      failure = new ConnectError(
        "The connection to the core broke.",
        Code.Unavailable,
        undefined,
        undefined,
        error,
      );
      if (isUnreached(error)) peer.rest();
      else if (!call.isRead) break;
    }
  }
  throw failure;
}

/**
 * Asks a core, and probes it beside the call while there is no answer, so that a silent one rests for all calls. A read is
 * given up as aborted once the core is silent while another one, not asked yet, is in use.
 */
async function askWatched<Answer>(
  peer: CorePeer,
  others: readonly CorePeer[],
  { isRead, signal, timeoutMs, ask }: Call<Answer>,
): Promise<Answer> {
  if (others.length === 0) return await ask(peer.transport, signal, timeoutMs);
  const silence = new AbortController();
  const look = async (): Promise<void> => {
    if (await peer.isThere()) return;
    if (isRead && others.some(({ restMs }) => restMs === 0)) silence.abort();
  };
  const watch = setInterval(() => void look(), PATIENCE_MS);
  try {
    const either = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
    return await ask(peer.transport, either, timeoutMs);
  } catch (error) {
    if (!silence.signal.aborted) throw error;
    throw new ConnectError("The core is silent.", Code.Aborted, undefined, undefined, error);
  } finally {
    clearInterval(watch);
  }
}

function changesNothing({ idempotency }: DescMethod): boolean {
  return idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
}
