import { IncomingMessage, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { Server } from "node:net";

// A piece takes as much time as some thousand bytes, however small it is. What clients write one by one is short.
const PIECES_FREE = 2000;
const BYTES_A_PIECE = 32;
// Of all bodies of one connection, between two looks at other connections.
const SMALL_A_TURN = 1000;
const DISCARDED_BYTES = 64 * 1024;
// A client that is cut off at once may lose the answer.
const GRACE_MS = 1000;

/**
 * Bounds what a server reads of HTTP/1.1 bodies: one in very many small pieces ends its connection, and of a body that is not
 * complete when it is answered, 64 KiB are read, for a second. Node itself reads all of it, without giving others a turn.
 */
export function boundBodies(server: Server): void {
  server.prependListener(
    "request",
    (request: IncomingMessage | Http2ServerRequest, response: ServerResponse) => {
      if (!("stream" in request) && hasBody(request.headers)) bound(request, response);
    },
  );
}

const smallInTurn = new Map<object, number>();

/** Counts a piece of a body. Returns true if its connection has sent too many small ones in this turn of the event loop. */
function isTooSmall(connection: object, bytes: number): boolean {
  if (bytes >= BYTES_A_PIECE) return false;
  if (smallInTurn.size === 0) setImmediate(() => smallInTurn.clear());
  const count = (smallInTurn.get(connection) ?? 0) + 1;
  smallInTurn.set(connection, count);
  return count > SMALL_A_TURN;
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function bound(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  let [pieces, bytes, discarded, isAnswered] = [0, 0, 0, false];
  // A request that was read in part is not discarded by Node after its answer.
  request.read(0);
  // Node calls it for each piece in the same turn, so a timer would come too late.
  request.push = (chunk: Buffer | null): boolean => {
    if (chunk !== null) {
      pieces++;
      bytes += chunk.length;
      if (isAnswered) discarded += chunk.length;
      if (pieces > PIECES_FREE + bytes / BYTES_A_PIECE || isTooSmall(socket, chunk.length)) socket.destroy();
      if (discarded > DISCARDED_BYTES) request.pause();
      if (socket.destroyed || discarded > DISCARDED_BYTES) return false;
    }
    return IncomingMessage.prototype.push.call(request, chunk);
  };
  response.once("finish", () => {
    isAnswered = true;
    request.resume();
    if (request.complete) return;
    setTimeout(() => {
      if (!request.complete) socket.destroy();
    }, GRACE_MS).unref();
  });
}
