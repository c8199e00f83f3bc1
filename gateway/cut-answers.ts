import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";

/**
 * Makes an answer that is cut off look so to clients of HTTP/1.0, as nginx is one by default. Such an answer ends with its
 * connection, so that a file whose rest could not be read, closed in the usual way, would be passed on as a whole one.
 */
export function showCuts(server: Server): void {
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    if (request.httpVersion === "1.0") resetIfCut(request.socket, response);
  });
}

function resetIfCut(socket: Socket, response: ServerResponse): void {
  // It is its class's own again.
  const restored = (): boolean => Reflect.deleteProperty(socket, "destroy");
  socket.destroy = (error?: Error) => {
    restored();
    // TLS has the socket that can be reset below its own.
    const below: unknown = Reflect.get(socket, "_parent");
    if (response.headersSent && !response.writableFinished) {
      (below instanceof Socket ? below : socket).resetAndDestroy();
    }
    return socket.destroy(error);
  };
  response.once("finish", restored);
}
