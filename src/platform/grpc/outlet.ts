import type { ServerResponse } from "node:http";
import { constants, type Http2Session, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { STALL_MS } from "../../../contract/reading-pace.ts";
import type { RawRequest } from "./connections.ts";

/** Where the answer of a call leaves this process. */
export interface Outlet {
  /** The client's address. */
  readonly address: string;
  /** True: the client has all of the answer, or is gone. */
  readonly isClosed: boolean;
  /** What the client has not taken of the bytes that were written. */
  readonly unsentBytes: number;
  onClose(listener: () => void): void;
  /** Ends the answer where it is. */
  cut(): void;
}

/**
 * Returns the outlet of a request: a stream of HTTP/2, or the connection of HTTP/1.1. When a stream was cut, `socket`
 * ends too unless the client answers a PING within `deafMs`.
 */
export function outletOf(
  request: RawRequest,
  response: ServerResponse | object,
  socket: Socket | undefined,
  deafMs = STALL_MS,
): Outlet {
  return "stream" in request
    ? new StreamOutlet(request.stream, socket, deafMs)
    : new ConnectionOutlet(response as ServerResponse);
}

class StreamOutlet implements Outlet {
  readonly address: string;
  readonly #stream: ServerHttp2Stream;
  readonly #socket: Socket | undefined;
  readonly #deafMs: number;

  constructor(stream: ServerHttp2Stream, socket: Socket | undefined, deafMs: number) {
    this.address = socket?.remoteAddress ?? "";
    this.#stream = stream;
    this.#socket = socket;
    this.#deafMs = deafMs;
  }

  get isClosed(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  get unsentBytes(): number {
    return this.#stream.writableLength;
  }

  onClose(listener: () => void): void {
    this.#stream.once("close", listener);
  }

  cut(): void {
    const { session } = this.#stream;
    // With another code Connect reports a fault of this process.
    this.#stream.close(constants.NGHTTP2_CANCEL);
    if (session && this.#socket) endIfDeaf(session, this.#socket, this.#deafMs);
  }
}

class ConnectionOutlet implements Outlet {
  readonly address: string;
  readonly #response: ServerResponse;
  // A request whose body was not read to its end has its socket no more, while its answer has it still.
  readonly #socket: Socket;

  constructor(response: ServerResponse) {
    const { socket } = response.req;
    this.address = socket.remoteAddress ?? "";
    this.#response = response;
    this.#socket = socket;
  }

  get isClosed(): boolean {
    const { destroyed, closed } = this.#response;
    return destroyed || closed || this.#socket.destroyed;
  }

  get unsentBytes(): number {
    return this.#response.writableLength;
  }

  onClose(listener: () => void): void {
    this.#response.once("close", listener);
  }

  cut(): void {
    this.#socket.destroy();
  }
}

const asked = new WeakSet<Http2Session>();

/**
 * Ends the connection of a client that reads nothing at all, not even that a stream was reset: one that reads answers a
 * PING.
 */
function endIfDeaf(session: Http2Session, socket: Socket, deafMs: number): void {
  if (session.destroyed || asked.has(session)) return;
  asked.add(session);
  const timer = setTimeout(() => socket.destroy(), deafMs).unref();
  session.ping(() => {
    clearTimeout(timer);
    asked.delete(session);
  });
}
