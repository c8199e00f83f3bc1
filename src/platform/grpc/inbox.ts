import { Code, ConnectError } from "@connectrpc/connect";

const MIB = 1024 * 1024;
const ALL_MAX = 64 * MIB;
const OF_ONE_MAX = 16 * MIB;

/** Counts the bytes of incomplete requests: of all callers together, and of each named token. */
export class Inbox {
  #all = 0;
  readonly #ofOne = new Map<string, number>();

  /** Reserves room for arrived bytes. Error: resource_exhausted. */
  take(bytes: number, tokenId: string | undefined): void {
    const own = tokenId === undefined ? 0 : (this.#ofOne.get(tokenId) ?? 0) + bytes;
    if (this.#all + bytes > ALL_MAX || own > OF_ONE_MAX) {
      throw new ConnectError(
        "Too many requests are under way that are not complete.",
        Code.ResourceExhausted,
      );
    }
    this.#all += bytes;
    if (tokenId !== undefined) this.#ofOne.set(tokenId, own);
  }

  free(bytes: number, tokenId: string | undefined): void {
    this.#all -= bytes;
    if (tokenId === undefined) return;
    const own = (this.#ofOne.get(tokenId) ?? 0) - bytes;
    if (own > 0) this.#ofOne.set(tokenId, own);
    else this.#ofOne.delete(tokenId);
  }
}
