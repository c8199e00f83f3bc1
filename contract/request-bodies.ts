import { IncomingMessage, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";

// A piece takes as much time as some thousand bytes, however small it is. What clients write one by one is short.
const PIECES_FREE = 2000;
const BYTES_A_PIECE = 32;
const DISCARDED_BYTES = 64 * 1024;
// A client that is cut off at once may lose the answer.
const GRACE_MS = 1000;

/**
 * Bounds what a server reads of bodies: a body in very many small pieces ends its connection, and of a body that is not
 * complete when it is answered, 64 KiB are read, for a second. Node itself reads all of it, without giving others a turn.
 */
export function boundBodies(server: Server): void {
  server.prependListener("request", (request, response) => {
    if (hasBody(request.headers)) bound(request, response);
  });
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
      if (pieces > PIECES_FREE + bytes / BYTES_A_PIECE) socket.destroy();
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
