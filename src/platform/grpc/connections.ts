import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest, Http2Session } from "node:http2";
import type { Socket } from "node:net";

export type RawRequest = IncomingMessage | Http2ServerRequest;
type Connection = Pick<Socket, "remoteAddress" | "remotePort">;

/**
 * The accepted connections, below TLS and HTTP/2: ending a session waits for what its client has not read, and only
 * ending its socket does not.
 */
export class Connections {
  readonly #sockets = new Map<string, Socket>();

  add(socket: Socket): void {
    const key = keyOf(socket);
    if (key === undefined) return;
    this.#sockets.set(key, socket);
    socket.once("close", () => {
      // A later connection may have the same port.
      if (this.#sockets.get(key) === socket) this.#sockets.delete(key);
    });
  }

  /** Returns the socket of a request, or undefined if it is closed. */
  socketOf(raw: RawRequest): Socket | undefined {
    const key = keyOf(connectionOf(raw));
    return key === undefined ? undefined : this.#sockets.get(key);
  }
}

const sockets = new WeakMap<Http2Session, Connection>();

/** Says which socket a session has. Its own `socket` is not one, and has no address. */
export function setSocket(session: Http2Session, socket: Connection): void {
  sockets.set(session, socket);
}

export function connectionOf(raw: RawRequest): Connection | undefined {
  if (!("stream" in raw)) return raw.socket;
  const { session } = raw.stream;
  // A closed stream or session has no socket.
  return session && !session.destroyed ? sockets.get(session) : undefined;
}

/** Returns the address and port, which are the same for a socket, TLS over it, and a session. */
export function keyOf(connection: Connection | undefined): string | undefined {
  const { remoteAddress, remotePort } = connection ?? {};
  return remoteAddress === undefined ? undefined : `${remoteAddress} ${remotePort}`;
}
