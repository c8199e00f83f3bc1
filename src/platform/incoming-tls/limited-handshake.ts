import type { Socket } from "node:net";
import { Duplex } from "node:stream";

// What a client sends until its handshake ends: a greeting, its certificates and a signature. A usual chain is below
// 8 KB. OpenSSL verifies a whole chain before anything can refuse it, and takes up to 100 KB of it.
const BYTES_MAX = 16 * 1024;

type Done = (error?: Error | null) => void;

/** A connection below TLS, of which TLS gets a bounded number of bytes until `release` says that its handshake ended. */
export class LimitedHandshake extends Duplex {
  readonly #raw: Socket;
  readonly #late: Buffer[] = [];
  #left = BYTES_MAX;
  #isReleased = false;
  /** The processor's time that the handshake took. */
  spentMs = 0;

  constructor(raw: Socket) {
    super({ allowHalfOpen: true });
    this.#raw = raw;
    raw.on("data", (chunk: Buffer) => this.#take(chunk));
    raw.on("end", () => (this.#isReleased ? this.push(null) : this.destroy()));
    raw.on("error", (error) => this.destroy(error));
    raw.on("close", () => this.destroy());
  }

  /** True: the handshake ended well. */
  get isReleased(): boolean {
    return this.#isReleased;
  }

  /** True: the client has sent something. */
  get hasBegun(): boolean {
    return this.#left < BYTES_MAX;
  }

  release(): void {
    this.#isReleased = true;
    const late = this.#late.splice(0);
    for (const chunk of late) this.push(chunk);
    this.#raw.resume();
  }

  #take(chunk: Buffer): void {
    if (this.#isReleased) {
      if (!this.push(chunk)) this.#raw.pause();
      return;
    }
    const now = chunk.subarray(0, this.#left);
    const rest = chunk.subarray(now.length);
    this.#left -= now.length;
    if (rest.length > 0) this.#late.push(rest);
    const before = process.threadCpuUsage();
    // TLS reads it at once.
    if (now.length > 0) this.push(now);
    const { user, system } = process.threadCpuUsage(before);
    this.spentMs += (user + system) / 1000;
    if (this.#left > 0) return;
    // A handshake that these bytes end may be followed by any number of others.
    this.#raw.pause();
    setImmediate(() => {
      if (!this.#isReleased) this.destroy(new Error("the handshake is too long"));
    });
  }

  override _read(): void {
    if (this.#left > 0 || this.#isReleased) this.#raw.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#raw.write(chunk, done);
  }

  override _final(done: Done): void {
    this.#raw.end(() => done());
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#raw.destroy();
    done(error);
  }
}
