import { Duplex } from "node:stream";
import type { MessagePort } from "node:worker_threads";
import type { ConnectionFailure } from "./messages.ts";

/** Bytes, or: the other side has taken the last bytes, sends no more, is connected, or has failed. */
type Frame = Uint8Array<ArrayBuffer> | "taken" | "end" | "opened" | { readonly failure: ConnectionFailure };

type Callback = (error?: Error | null) => void;

interface PortStreamOptions {
  /** This side goes on to send when the other has ended. */
  readonly allowHalfOpen: boolean;
  /** Does a work when it is its turn, works in their order. Absent: at once. */
  readonly inTurn?: (work: () => void) => void;
}

// What reads a stream may take a microsecond for each byte: a piece is some milliseconds.
const PIECE_BYTES = 8 * 1024;

/** The code of a connection whose other thread has ended. */
const ENDED = "TLS_THREAD_ENDED";

/**
 * One end of a stream of bytes between two threads. Each side sends its next bytes when the other has taken the last,
 * so that neither holds more than a stream's buffer. Emits "secureConnect" when the other side opens it.
 */
export class PortStream extends Duplex {
  /** Bytes that came in, also those that are not yet read. */
  bytesRead = 0;
  readonly #port: MessagePort;
  readonly #inTurn: (work: () => void) => void;
  /** Bytes of the last frame that did not have their turn. */
  #waitingBytes = 0;
  #isOwing = false;
  #onTaken: Callback | undefined;

  constructor(port: MessagePort, { allowHalfOpen, inTurn = (work) => work() }: PortStreamOptions) {
    super({ allowHalfOpen });
    this.#port = port;
    this.#inTurn = inTurn;
    port.on("message", (frame: Frame) => this.#receive(frame));
    port.on("close", () => {
      inTurn(() => this.destroy(failureOf({ code: ENDED, message: "the thread of TLS ended" })));
    });
  }

  /** Says that the connection can be written to and read from. */
  open(): void {
    this.#send("opened");
  }

  /** Destroys the other side with this error, and this side without. */
  fail(error: Error & { code?: unknown }): void {
    if (this.destroyed) return;
    const { message, code } = error;
    this.#send({ failure: { message, code: typeof code === "string" ? code : undefined } });
    this.destroy();
  }

  ref(): this {
    this.#port.ref();
    return this;
  }

  unref(): this {
    this.#port.unref();
    return this;
  }

  /** As a socket does: HTTP ends a connection by this. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }

  override _read(): void {
    if (!this.#isOwing || this.#waitingBytes > 0) return;
    this.#isOwing = false;
    this.#send("taken");
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: Callback): void {
    this.#sendBytes([chunk], callback);
  }

  override _writev(chunks: { chunk: Buffer }[], callback: Callback): void {
    this.#sendBytes(
      chunks.map(({ chunk }) => chunk),
      callback,
    );
  }

  override _final(callback: Callback): void {
    this.#send("end");
    callback();
  }

  override _destroy(error: Error | null, callback: Callback): void {
    this.#port.close();
    callback(error);
  }

  #receive(frame: Frame): void {
    if (this.destroyed) return;
    if (frame === "taken") {
      const onTaken = this.#onTaken;
      this.#onTaken = undefined;
      onTaken?.();
    } else if (frame === "opened") {
      this.emit("secureConnect");
    } else if (frame instanceof Uint8Array) {
      this.#isOwing = true;
      this.#waitingBytes = frame.length;
      let from = 0;
      do {
        const piece = frame.subarray(from, (from += PIECE_BYTES));
        this.#inTurn(() => this.#take(piece));
      } while (from < frame.length);
    } else {
      const failure = frame === "end" ? undefined : failureOf(frame.failure);
      this.#inTurn(() => this.#end(failure));
    }
  }

  #take(piece: Uint8Array): void {
    if (this.destroyed) return;
    this.bytesRead += piece.length;
    this.#waitingBytes -= piece.length;
    this.push(piece);
  }

  #end(failure: Error | undefined): void {
    if (this.destroyed) return;
    if (failure) this.destroy(failure);
    else this.push(null);
  }

  /** Copies the bytes: a buffer of Node may share its memory with others. */
  #sendBytes(chunks: readonly Uint8Array[], callback: Callback): void {
    const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
    let at = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    this.#onTaken = callback;
    this.#port.postMessage(bytes satisfies Frame, [bytes.buffer]);
  }

  #send(frame: Frame): void {
    this.#port.postMessage(frame, []);
  }
}

function failureOf({ code, message }: ConnectionFailure): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}
