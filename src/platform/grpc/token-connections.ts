import type { Socket } from "node:net";

/** The most connections of one holder of named tokens, and of all of them together. */
export interface TokenConnectionBounds {
  readonly ofOne: number;
  readonly all: number;
}

/**
 * Bounds the connections of callers with named tokens: one more ends the one whose last call began the longest ago. Otherwise the
 * holder of one token could take all of a port's, and keep gateways and all others out.
 */
export class TokenConnections {
  readonly #bounds: TokenConnectionBounds;
  /** By holder, the one that called first on it; the connection whose last call began first is the first one. */
  readonly #holders = new Map<Socket, string>();
  readonly #ofOne = new Map<string, Set<Socket>>();

  constructor(bounds: TokenConnectionBounds) {
    this.#bounds = bounds;
  }

  /** Counts the connection of a call with a named token. */
  use(caller: string, socket: Socket): void {
    if (socket.destroyed) return;
    const holder = this.#holders.get(socket) ?? caller;
    const isNew = !this.#holders.delete(socket);
    this.#holders.set(socket, holder);
    const own = this.#ofOne.get(holder) ?? new Set();
    own.delete(socket);
    this.#ofOne.set(holder, own.add(socket));
    if (!isNew) return;
    socket.once("close", () => this.#forget(socket));
    if (own.size > this.#bounds.ofOne) this.#end(own);
    if (this.#holders.size > this.#bounds.all) this.#end(this.#holders.keys());
  }

  #end(connections: Iterable<Socket>): void {
    const [oldest] = connections;
    if (!oldest) return;
    this.#forget(oldest);
    oldest.destroy();
  }

  #forget(socket: Socket): void {
    const holder = this.#holders.get(socket);
    if (holder === undefined) return;
    this.#holders.delete(socket);
    const own = this.#ofOne.get(holder);
    own?.delete(socket);
    if (own?.size === 0) this.#ofOne.delete(holder);
  }
}
