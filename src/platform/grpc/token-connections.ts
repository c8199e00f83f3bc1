import type { Socket } from "node:net";

/**
 * Bounds the connections of each named token: one more ends the one whose last call began the longest ago. Otherwise the holder of
 * one token could take all of a port's, and keep gateways and all others out.
 */
export class TokenConnections {
  readonly #most: number;
  /** By token: the connection whose last call began first is the first one. */
  readonly #ofToken = new Map<string, Set<Socket>>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts the connection of a call that has the token. */
  use(tokenId: string, socket: Socket): void {
    if (socket.destroyed) return;
    const all = this.#ofToken.get(tokenId) ?? new Set();
    const isNew = !all.delete(socket);
    this.#ofToken.set(tokenId, all.add(socket));
    if (!isNew) return;
    socket.once("close", () => this.#forget(tokenId, socket));
    const [oldest] = all;
    if (!oldest || all.size <= this.#most) return;
    this.#forget(tokenId, oldest);
    oldest.destroy();
  }

  #forget(tokenId: string, socket: Socket): void {
    const all = this.#ofToken.get(tokenId);
    if (all?.delete(socket) && all.size === 0) this.#ofToken.delete(tokenId);
  }
}
