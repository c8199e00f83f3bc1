import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

// Browsers and the clients of our languages send one request after the answer to the other.
const AT_ONCE_MAX = 4;

const unanswered = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Bounds the requests in progress of each HTTP/1.1 connection: counts a request until its answer is sent. Returns
 * false, and ends the connection, if it has too many. Node starts every request that a client sends ahead, and holds
 * all answers until the client reads the first one.
 */
export function takeRequest({ socket }: IncomingMessage, response: ServerResponse): boolean {
  // Node goes on with what it had read when the connection was ended.
  if (socket.destroyed) return false;
  const responses = unansweredOn(socket);
  if (responses.size >= AT_ONCE_MAX) {
    socket.destroy();
    return false;
  }
  responses.add(response);
  response.on("close", leave);
  return true;
}

function leave(this: ServerResponse): void {
  unanswered.get(this.req.socket)?.delete(this);
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
