import type { PortStream } from "./port-stream.ts";

/** Connections of an owner with costly handshakes, which goes on in a thread with others of that kind. */
class CostlyHandshake extends Error {
  readonly code = "ERR_TLS_COSTLY_HANDSHAKE";
}

/** The handshakes that are not over, by their owner. */
export class Handshakes {
  readonly #open = new Map<string, Set<PortStream>>();

  add(owner: string, stream: PortStream): void {
    const streams = this.#open.get(owner) ?? new Set();
    this.#open.set(owner, streams.add(stream));
    stream.on("close", () => this.end(owner, stream));
  }

  end(owner: string, stream: PortStream): void {
    const streams = this.#open.get(owner);
    if (streams?.delete(stream) && streams.size === 0) this.#open.delete(owner);
  }

  /** Ends all of an owner's. */
  fail(owner: string): void {
    for (const stream of this.#open.get(owner) ?? []) {
      stream.fail(new CostlyHandshake("handshakes with this owner's servers take too long"));
    }
  }
}
