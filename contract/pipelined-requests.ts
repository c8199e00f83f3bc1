import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { Server as NetServer, Socket } from "node:net";

// Browsers and the clients of our languages send one request after the answer to the other.
const AT_ONCE_MAX = 4;

const unanswered = new WeakMap<Socket, Set<ServerResponse>>();

/** What Node has of a connection, and its types have not: `onIncoming` takes each request, and 2 skips the rest of the data. */
interface Parsed {
  readonly parser?: { onIncoming: (() => number) | null } | null;
}

type Admission = (request: IncomingMessage | Http2ServerRequest, response: ServerResponse) => boolean;

const SKIP_REST = 2;

/**
 * Makes a server take only the requests that `isAdmitted`. It is asked before any framework, which may answer a request
 * that it cannot read without its hooks.
 */
export function admit(server: NetServer, isAdmitted: Admission): void {
  const listeners = server.rawListeners("request");
  server.removeAllListeners("request");
  server.on("request", (...[request, response]: Parameters<Admission>) => {
    if (!isAdmitted(request, response)) return;
    for (const listener of listeners) Reflect.apply(listener, server, [request, response]);
  });
}

/**
 * Counts a request until its answer is sent. Returns false, and ends the connection, if its connection has too many in
 * progress, or was reset: it has no address any more, by which it would be counted and be in the audit log.
 */
export function takeRequest({ socket }: IncomingMessage, response: ServerResponse): boolean {
  // Node goes on with what it had read when the connection was ended.
  if (socket.destroyed) return false;
  const responses = unansweredOn(socket);
  // Node keeps the address once it was asked for, so later steps have it even if the connection ends meanwhile.
  if (responses.size >= AT_ONCE_MAX || socket.remoteAddress === undefined) {
    end(socket);
    return false;
  }
  responses.add(response);
  response.on("close", leave);
  return true;
}

/** Ends a connection. Node makes a request of each of the thousands in the data that it has read, unless its parser stops. */
function end(socket: Socket & Parsed): void {
  if (socket.parser) socket.parser.onIncoming = () => SKIP_REST;
  socket.destroy();
}

// Not before the turn's end: Node may answer a request at once, and take the next one from the same data.
function leave(this: ServerResponse): void {
  setImmediate(() => unanswered.get(this.req.socket)?.delete(this));
}

function unansweredOn(socket: Socket): Set<ServerResponse> {
  const known = unanswered.get(socket);
  if (known) return known;
  const responses = new Set<ServerResponse>();
  unanswered.set(socket, responses);
  // Node reports the end of a connection to the answer that is being sent, and not to those behind it.
  socket.once("close", () => {
    for (const response of responses) if (!response.socket) response.emit("close");
  });
  return responses;
}
