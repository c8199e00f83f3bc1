import type { Socket } from "node:net";
import { networkOf } from "../../../contract/network.ts";
import { connectionOf, keyOf, type RawRequest } from "./connections.ts";

// The lifetime of a connection without a call that has a valid token.
const LIFE_MS = 60_000;
// The time of a connection for its handshake and first call, before it counts for its network.
const GRACE_MS = 5000;
// What a connection may send before its first good token, in frames of a few bytes too: no handler sees many of them, but
// each takes its time. A first call waits for its token's check after less.
const BYTES_MAX = 512 * 1024;
const LOOK_MS = 20;
// Limits of one network.
const CALLS_AT_ONCE_MAX = 500;
const CALLS_PER_SECOND = 50;
const NETWORKS_MAX = 10_000;

/** The maximum numbers of connections without a valid token. */
export interface StrangersBounds {
  readonly all: number;
  /**
   * Of an IPv4 address or the /64 of an IPv6 address, after the grace period in which a connection may present a token.
   */
  readonly ofNetwork: number;
  readonly graceMs?: number;
}

interface Stranger {
  readonly socket: Socket;
  readonly network: string;
  timer: NodeJS.Timeout;
}

/**
 * Callers that have not presented a valid token. Their connections are limited from the first byte on, in number and
 * lifetime. A new one replaces the oldest, so that a holder of many connections cannot lock others out. Each network
 * has a limit of calls. Above it, connections are closed without further work, as is one that has sent too much.
 */
export class Strangers {
  readonly #bounds: StrangersBounds;
  readonly #graceMs: number;
  /** By address and port: oldest first. */
  readonly #all = new Map<string, Stranger>();
  readonly #networks = new Map<string, Set<Stranger>>();
  readonly #calls = new Map<string, { left: number; at: number }>();
  /** Looks at how much each has sent, while there are any. */
  #look: NodeJS.Timeout | undefined;

  constructor(bounds: StrangersBounds) {
    this.#bounds = bounds;
    this.#graceMs = bounds.graceMs ?? GRACE_MS;
  }

  /** Adds an accepted connection, before any byte is read from it. */
  add(socket: Socket): void {
    const key = keyOf(socket);
    // The connection is closed already.
    if (key === undefined) return;
    const network = networkOf(socket.remoteAddress ?? "");
    const timer = setTimeout(() => this.#endGrace(stranger), this.#graceMs).unref();
    const stranger: Stranger = { socket, network, timer };
    this.#all.set(key, stranger);
    const ofNetwork = this.#networks.get(network) ?? new Set();
    this.#networks.set(network, ofNetwork.add(stranger));
    socket.once("close", () => this.#forget(key, stranger));
    this.#look ??= setInterval(() => this.#endLarge(), LOOK_MS).unref();
    const [oldest] = this.#all.values();
    if (oldest && this.#all.size > this.#bounds.all) this.#end(oldest);
  }

  /** Counts a call without a valid token. Returns false if it is above the limit; its connection is then closed. */
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

  /** Marks the caller of this connection as known. */
  know(raw: RawRequest): void {
    const key = keyOf(connectionOf(raw));
    const stranger = key === undefined ? undefined : this.#all.get(key);
    if (key !== undefined && stranger) this.#forget(key, stranger);
  }

  #endLarge(): void {
    for (const stranger of this.#all.values()) if (stranger.socket.bytesRead > BYTES_MAX) this.#end(stranger);
    if (this.#all.size > 0) return;
    clearInterval(this.#look);
    this.#look = undefined;
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
    // A later connection may have the same port.
    if (key !== undefined && this.#all.get(key) === stranger) this.#all.delete(key);
    const ofNetwork = this.#networks.get(stranger.network);
    ofNetwork?.delete(stranger);
    if (ofNetwork?.size === 0) this.#networks.delete(stranger.network);
  }
}
