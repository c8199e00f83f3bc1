import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, type Http2ServerRequest, type Http2Session, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { STALL_MS } from "../../../contract/reading-pace.ts";

export type RawRequest = IncomingMessage | Http2ServerRequest;

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

/** Returns the outlet of a request: a stream of HTTP/2, or the connection of HTTP/1.1. */
export function outletOf(request: RawRequest, response: ServerResponse | object): Outlet {
  const address = connectionOf(request)?.remoteAddress ?? "";
  return "stream" in request
    ? new StreamOutlet(address, request.stream)
    : new ConnectionOutlet(address, response as ServerResponse);
}

export function connectionOf(raw: RawRequest): Pick<Socket, "remoteAddress" | "remotePort"> | undefined {
  if (!("stream" in raw)) return raw.socket;
  const { session } = raw.stream;
  // A closed stream or session has no socket.
  return session && !session.destroyed ? session.socket : undefined;
}

class StreamOutlet implements Outlet {
  readonly address: string;
  readonly #stream: ServerHttp2Stream;

  constructor(address: string, stream: ServerHttp2Stream) {
    this.address = address;
    this.#stream = stream;
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
    if (session) endIfDeaf(session);
  }
}

class ConnectionOutlet implements Outlet {
  readonly address: string;
  readonly #response: ServerResponse;

  constructor(address: string, response: ServerResponse) {
    this.address = address;
    this.#response = response;
  }

  get isClosed(): boolean {
    const { destroyed, closed, req } = this.#response;
    return destroyed || closed || req.socket.destroyed;
  }

  get unsentBytes(): number {
    return this.#response.writableLength;
  }

  onClose(listener: () => void): void {
    this.#response.once("close", listener);
  }

  cut(): void {
    this.#response.req.socket.destroy();
  }
}

const asked = new WeakSet<Http2Session>();

/**
 * Ends a session whose client reads nothing at all, not even that a stream was reset: a client that reads answers a
 * PING.
 */
function endIfDeaf(session: Http2Session): void {
  if (session.destroyed || asked.has(session)) return;
  asked.add(session);
  const timer = setTimeout(() => session.destroy(), STALL_MS).unref();
  session.ping(() => {
    clearTimeout(timer);
    asked.delete(session);
  });
}
