import { Duplex } from "node:stream";

// A connection sends one e-mail: some lines of answers, and with STARTTLS a chain of certificates before them.
const RECEIVED_BYTES_MAX = 64 * 1024;
// Each costs far more than its bytes. What is encrypted has one in 256 bytes.
const LINES_MAX = 1000;
const LINE_FEED = 0x0a;

type Callback = (error?: Error | null) => void;

/** The server said more than an e-mail needs. */
class TooMuchSaid extends Error {
  readonly code = "EANSWER";
}

/**
 * The connection to a server of e-mail, which may say anything. Its bytes are counted before nodemailer sees them: it keeps
 * the lines that come unasked, and goes on to look at each after the end of the connection.
 */
export class BoundedConnection extends Duplex {
  readonly #connection: Duplex;
  #received = 0;
  #lines = 0;

  /** `connection` is open, and is read from here alone. */
  constructor(connection: Duplex) {
    super();
    this.#connection = connection;
    connection.on("data", (chunk: Buffer) => {
      this.#received += chunk.length;
      for (const byte of chunk) if (byte === LINE_FEED) this.#lines++;
      const isTooMuch = this.#received > RECEIVED_BYTES_MAX || this.#lines > LINES_MAX;
      if (isTooMuch) this.destroy(new TooMuchSaid("the server says too much"));
      else if (!this.push(chunk)) connection.pause();
    });
    connection.on("end", () => this.push(null));
    connection.on("error", (error) => this.destroy(error));
    connection.on("close", () => this.destroy());
    this.on("error", () => undefined);
  }

  /** As a socket has it: the mailer bounds the whole. */
  setTimeout(): this {
    return this;
  }

  override _read(): void {
    this.#connection.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: Callback): void {
    this.#connection.write(chunk, callback);
  }

  override _final(callback: Callback): void {
    this.#connection.end(() => callback());
  }

  override _destroy(error: Error | null, callback: Callback): void {
    this.#connection.destroy();
    callback(error);
  }
}
