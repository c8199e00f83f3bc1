import type { Http2Session } from "node:http2";
import type { Server, Socket } from "node:net";
import { Duplex } from "node:stream";
import { setSocket } from "./connections.ts";

// Of all connections together, between two looks at other work: frames of a few bytes take some microseconds each.
const BYTES_A_TURN = 32 * 1024;
// Of one connection, so that the others have a part of it.
const BYTES_OF_ONE = 16 * 1024;

/**
 * Paces what clients send to an HTTP/2 server. Call it before the server gets listeners that need its own sockets.
 * `event`: "secureConnection" with TLS, where clients of HTTP/1.1 are left alone.
 */
export function paceSessions(server: Server, event: "connection" | "secureConnection"): void {
  const pace = new Pace();
  const listeners = server.listeners(event);
  let current: Socket | undefined;
  server.removeAllListeners(event);
  server.on(event, (socket: Socket & { alpnProtocol?: string | false | null }) => {
    const isHttp2 = event === "connection" || socket.alpnProtocol === "h2";
    current = socket;
    const given = isHttp2 ? new PacedSocket(socket, pace) : socket;
    for (const listener of listeners) listener.call(server, given);
  });
  server.on("session", (session: Http2Session) => {
    if (current) setSocket(session, current);
  });
}

/** What all connections may still hand on in this turn of the event loop. */
class Pace {
  #left = BYTES_A_TURN;
  /** The first one is the next. */
  readonly #waiting = new Set<PacedSocket>();

  /** Returns how many of so many bytes may be handed on now. For the rest, `handOn` is called in a later turn. */
  take(socket: PacedSocket, bytes: number): number {
    if (this.#left === BYTES_A_TURN) setImmediate(() => this.#beginTurn());
    const taken = Math.min(bytes, this.#left, BYTES_OF_ONE);
    this.#left -= taken;
    if (taken < bytes) this.#waiting.add(socket);
    return taken;
  }

  #beginTurn(): void {
    this.#left = BYTES_A_TURN;
    for (const socket of this.#waiting) {
      if (this.#left === 0) return;
      this.#waiting.delete(socket);
      socket.handOn();
    }
  }
}

/**
 * A connection whose bytes are handed on in small pieces. Node reads 2 MB of a socket in one go, and of each socket
 * that has so many, before it does anything else: HTTP/2 frames of a few bytes would stop the event loop for seconds.
 */
class PacedSocket extends Duplex {
  readonly #socket: Socket;
  readonly #pace: Pace;
  /** What has arrived and is not handed on. */
  #rest: Buffer | undefined;
  /** True: nothing follows the rest. */
  #isAll = false;

  constructor(socket: Socket, pace: Pace) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    this.#pace = pace;
    // As Node does for a socket that it reads itself.
    socket.setNoDelay();
    socket.on("data", (chunk: Buffer) => {
      socket.pause();
      this.#rest = chunk;
      this.handOn();
    });
    socket.on("end", () => {
      this.#isAll = true;
      if (!this.#rest) this.push(null);
    });
    socket.on("error", (error) => this.destroy(error));
    // A session that has ended has no listener.
    this.on("error", () => undefined);
    socket.on("close", () => this.destroy());
  }

  handOn(): void {
    const rest = this.#rest;
    if (!rest || this.destroyed) return;
    const taken = this.#pace.take(this, rest.length);
    if (taken === 0) return;
    this.#rest = taken < rest.length ? rest.subarray(taken) : undefined;
    const wantsMore = this.push(rest.subarray(0, taken));
    if (this.#rest) return;
    if (this.#isAll) this.push(null);
    else if (wantsMore) this.#socket.resume();
  }

  override _read(): void {
    if (!this.#rest) this.#socket.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, done);
  }

  override _writev(
    chunks: { chunk: Buffer; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    const last = chunks.at(-1)?.chunk ?? "";
    this.#socket.cork();
    for (const { chunk } of chunks.slice(0, -1)) this.#socket.write(chunk);
    this.#socket.write(last, done);
    this.#socket.uncork();
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
