import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { networkOf } from "../../../contract/network.ts";
import { LimitedHandshake } from "./limited-handshake.ts";
import type { ThreadBounds } from "./protocol.ts";

// The time in which a client takes the rest of what its ended connection has for it.
const REST_MS = 30_000;
// The processor's time for handshakes in vain that one network may take: at once, and of each second.
const VAIN_MS_MAX = 1000;
const VAIN_MS_PER_SECOND = 50;
const NETWORKS_MAX = 10_000;

/** A connection until its handshake ends. */
export interface Newcomer {
  readonly socket: Socket;
  /** What TLS reads and writes. */
  readonly below: LimitedHandshake;
  readonly network: string;
}

/** The connections of a thread, and what their networks may still take of its time. */
export class Clients {
  readonly #bounds: ThreadBounds;
  /** Oldest first. */
  readonly #handshakes = new Set<Newcomer>();
  /** Those that the process has ended. The one that ended first comes first. */
  readonly #resting = new Set<TLSSocket>();
  readonly #networks = new Map<string, number>();
  readonly #vain = new Map<string, { ms: number; at: number }>();

  constructor(bounds: ThreadBounds) {
    this.#bounds = bounds;
  }

  /** Counts an accepted connection until it closes. Ends it, and returns undefined, if its network has too much. */
  admit(socket: Socket): Newcomer | undefined {
    const network = networkOf(socket.remoteAddress ?? "");
    const count = this.#networks.get(network) ?? 0;
    if (count >= this.#bounds.ofNetwork || this.#vainMs(network) >= VAIN_MS_MAX) {
      socket.destroy();
      return undefined;
    }
    this.#networks.set(network, count + 1);
    const newcomer = { socket, below: new LimitedHandshake(socket), network };
    this.#handshakes.add(newcomer);
    newcomer.below.on("error", () => socket.destroy());
    socket.once("close", () => this.#forget(newcomer));
    const [oldest] = this.#handshakes;
    if (oldest && this.#handshakes.size > this.#bounds.handshakes) {
      this.#handshakes.delete(oldest);
      oldest.socket.destroy();
    }
    return newcomer;
  }

  /** Ends all handshakes. */
  clear(): void {
    for (const { socket } of this.#handshakes) socket.destroy();
  }

  /** Says that a handshake ended well. */
  welcome(newcomer: Newcomer): void {
    this.#handshakes.delete(newcomer);
  }

  /**
   * Ends a client's connection once it has taken the rest. Those that take their time are few: whom the process ended must
   * not keep others out.
   */
  rest(client: TLSSocket): void {
    if (client.destroyed || this.#resting.has(client)) return;
    this.#resting.add(client);
    client.end();
    const timer = setTimeout(() => client.destroy(), REST_MS);
    client.once("close", () => {
      clearTimeout(timer);
      this.#resting.delete(client);
    });
    const [first] = this.#resting;
    if (first && this.#resting.size > this.#bounds.handshakes) {
      this.#resting.delete(first);
      first.destroy();
    }
  }

  /** Counts the time that a handshake took for nothing. */
  charge({ network }: Newcomer, ms: number): void {
    if (!this.#vain.has(network) && this.#vain.size >= NETWORKS_MAX) this.#vain.clear();
    this.#vain.set(network, { ms: this.#vainMs(network) + ms, at: performance.now() });
  }

  #vainMs(network: string): number {
    const { ms, at } = this.#vain.get(network) ?? { ms: 0, at: 0 };
    return Math.max(0, ms - ((performance.now() - at) / 1000) * VAIN_MS_PER_SECOND);
  }

  #forget(newcomer: Newcomer): void {
    this.#handshakes.delete(newcomer);
    const { below } = newcomer;
    // A look whether the port is open costs nothing.
    if (!below.isReleased && below.hasBegun) this.charge(newcomer, below.spentMs);
    const left = (this.#networks.get(newcomer.network) ?? 0) - 1;
    if (left > 0) this.#networks.set(newcomer.network, left);
    else this.#networks.delete(newcomer.network);
  }
}
