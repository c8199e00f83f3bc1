import { networkOf } from "../../contract/network.ts";

// Limit of one process. A page past it polls instead, less often.
const STREAMS_MAX = 200;
const MAX = { page: 4, link: 50, network: 20 } as const;

/** The keys that an open stream counts for. */
export interface StreamKeys {
  /** The page. A payer may have it open in a few windows. */
  readonly page: string;
  /** The link. Many payers may have it open. */
  readonly link: string;
  /** The visitor's network address. */
  readonly address: string;
}

/** Counts the open streams: in the process, and by page, link and network. */
export class OpenStreams {
  readonly #counts = new Map<string, number>();
  #total = 0;

  /** Returns whether another stream is within the limits. */
  hasRoom(keys: StreamKeys): boolean {
    const isFull = limitsOf(keys).some(([key, max]) => (this.#counts.get(key) ?? 0) >= max);
    return this.#total < STREAMS_MAX && !isFull;
  }

  add(keys: StreamKeys): void {
    this.#total++;
    for (const [key] of limitsOf(keys)) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  remove(keys: StreamKeys): void {
    this.#total--;
    for (const [key] of limitsOf(keys)) {
      const left = (this.#counts.get(key) ?? 0) - 1;
      if (left > 0) this.#counts.set(key, left);
      else this.#counts.delete(key);
    }
  }
}

function limitsOf({ page, link, address }: StreamKeys): [key: string, max: number][] {
  return [
    [`page ${page}`, MAX.page],
    [`link ${link}`, MAX.link],
    [`network ${networkOf(address)}`, MAX.network],
  ];
}
