import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { Socket } from "node:net";
import { networkOf } from "../../../contract/network.ts";

// Of a connection from which no call with a good token has come yet.
const LIFE_MS = 60_000;
// What a connection has to shake hands and call, before it counts for its network.
const GRACE_MS = 5000;
// Of one network.
const CALLS_AT_ONCE_MAX = 500;
const CALLS_PER_SECOND = 50;
const NETWORKS_MAX = 10_000;

type RawRequest = IncomingMessage | Http2ServerRequest;
type Connection = Pick<Socket, "remoteAddress" | "remotePort">;

/** How many connections without a good token there may be. */
export interface StrangersBounds {
  readonly all: number;
  /** Of an IPv4 address or the /64 of an IPv6 one, once they have had the time to show a token. */
  readonly ofNetwork: number;
  readonly graceMs?: number;
}

interface Stranger {
  readonly socket: Socket;
  readonly network: string;
  timer: NodeJS.Timeout;
}

/**
 * Callers that have not shown a good token. Their connections are few, from the first byte on, and each is there for a
 * while only: a new one takes the place of the oldest, so that whoever holds many keeps nobody out. Their calls are
 * answered while a network has not too many of them; then nothing but what the network needs is spent on them.
 */
export class Strangers {
  readonly #bounds: StrangersBounds;
  readonly #graceMs: number;
  /** By address and port, which say the same of a socket, of TLS over it and of a session: oldest first. */
  readonly #all = new Map<string, Stranger>();
  readonly #networks = new Map<string, Set<Stranger>>();
  readonly #calls = new Map<string, { left: number; at: number }>();

  constructor(bounds: StrangersBounds) {
    this.#bounds = bounds;
    this.#graceMs = bounds.graceMs ?? GRACE_MS;
  }

  /** A connection that was taken, before anything was read from it. */
  add(socket: Socket): void {
    const key = keyOf(socket);
    // It has gone already.
    if (key === undefined) return;
    const network = networkOf(socket.remoteAddress ?? "");
    const timer = setTimeout(() => this.#endGrace(stranger), this.#graceMs).unref();
    const stranger: Stranger = { socket, network, timer };
    this.#all.set(key, stranger);
    const ofNetwork = this.#networks.get(network) ?? new Set();
    this.#networks.set(network, ofNetwork.add(stranger));
    socket.once("close", () => this.#forget(key, stranger));
    const [oldest] = this.#all.values();
    if (oldest && this.#all.size > this.#bounds.all) this.#end(oldest);
  }

  /** A call without a good token. False: it was one too many, and its connection has ended. */
  mayCall(raw: RawRequest): boolean {
    const network = networkOf(connectionOf(raw)?.remoteAddress ?? "");
    const now = performance.now();
    const { left, at } = this.#calls.get(network) ?? { left: CALLS_AT_ONCE_MAX, at: now };
    const there = Math.min(CALLS_AT_ONCE_MAX, left + ((now - at) / 1000) * CALLS_PER_SECOND);
    if (!this.#calls.has(network) && this.#calls.size >= NETWORKS_MAX) this.#calls.clear();
    this.#calls.set(network, { left: Math.max(0, there - 1), at: now });
    if (there >= 1) return true;
    if ("stream" in raw) raw.stream.session?.destroy();
    else raw.socket.destroy();
    return false;
  }

  /** Whoever calls on this connection is known now. */
  know(raw: RawRequest): void {
    const key = keyOf(connectionOf(raw));
    const stranger = key === undefined ? undefined : this.#all.get(key);
    if (key !== undefined && stranger) this.#forget(key, stranger);
  }

  #endGrace(stranger: Stranger): void {
    stranger.timer = setTimeout(() => stranger.socket.destroy(), LIFE_MS - this.#graceMs).unref();
    const ofNetwork = this.#networks.get(stranger.network) ?? new Set();
    const [oldest] = ofNetwork;
    if (oldest && ofNetwork.size > this.#bounds.ofNetwork) this.#end(oldest);
  }

  #end(stranger: Stranger): void {
    this.#forget(keyOf(stranger.socket), stranger);
    stranger.socket.destroy();
  }

  #forget(key: string | undefined, stranger: Stranger): void {
    clearTimeout(stranger.timer);
    // A later connection may have come from the same port.
    if (key !== undefined && this.#all.get(key) === stranger) this.#all.delete(key);
    const ofNetwork = this.#networks.get(stranger.network);
    ofNetwork?.delete(stranger);
    if (ofNetwork?.size === 0) this.#networks.delete(stranger.network);
  }
}

function connectionOf(raw: RawRequest): Connection | undefined {
  if (!("stream" in raw)) return raw.socket;
  const { session } = raw.stream;
  // Of a stream or a session that has ended there is no socket any more.
  return session && !session.destroyed ? session.socket : undefined;
}

function keyOf(connection: Connection | undefined): string | undefined {
  const { remoteAddress, remotePort } = connection ?? {};
  return remoteAddress === undefined ? undefined : `${remoteAddress} ${remotePort}`;
}
