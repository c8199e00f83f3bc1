import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { FairTurns } from "./fair-turns.ts";

/** The other side sent more bytes than a connection needs. */
class TooManyBytes extends Error {
  readonly code = "ERR_TLS_TOO_MANY_BYTES";
}

type Callback = (error?: Error | null) => void;

// The chain of a bank has some 10 KB, with keys of 4096 bits; its list of the authorities that clients may have, with all
// those of ICP-Brasil, some 20 KB more.
const HANDSHAKE_BYTES_MAX = 48 * 1024;
// Tickets, new keys and empty records, of which a connection has a few, and what was received and is not yet decrypted.
const EMPTY_BYTES_MAX = 256 * 1024;
// A record of one byte has at most 85.
const BYTES_PER_PLAIN_BYTE = 85;

/**
 * The encrypted bytes of a connection, which lie between its socket and TLS. They are counted before TLS sees them, as it
 * may need long for few, and reach it when it is their owner's turn.
 */
export class MeteredStream extends Duplex {
  readonly #socket: Socket;
  #received = 0;
  #max = HANDSHAKE_BYTES_MAX;

  constructor(socket: Socket, turns: FairTurns, owner: string) {
    // Its close would end TLS, whose last bytes may not be read yet.
    super({ autoDestroy: false });
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      socket.pause();
      this.#received += chunk.length;
      if (this.#received > this.#max) this.destroy(new TooManyBytes("the server sends too many bytes"));
      else turns.take(owner, () => this.#pass(chunk));
    });
    socket.on("end", () => turns.take(owner, () => this.#pass(null)));
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => {
      if (!socket.readableEnded) this.destroy();
    });
  }

  /** The handshake is over. */
  secured(): void {
    this.#max = this.#received + EMPTY_BYTES_MAX;
  }

  /** So many bytes were in what was received. */
  decrypted(byteCount: number): void {
    this.#max += byteCount * BYTES_PER_PLAIN_BYTE;
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: Callback): void {
    this.#socket.write(chunk, callback);
  }

  override _final(callback: Callback): void {
    this.#socket.end(() => callback());
  }

  override _destroy(error: Error | null, callback: Callback): void {
    this.#socket.destroy();
    callback(error);
  }

  #pass(chunk: Buffer | null): void {
    if (!this.destroyed) this.push(chunk);
  }
}
