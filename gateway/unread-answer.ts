import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { STALL_MS } from "../contract/reading-pace.ts";

const LOOK_MS = 5000;

const watched = new WeakSet<ServerResponse>();

/**
 * Returns whether an answer's connection has ended, so that its "close" does not come any more. Node does not mark an answer
 * that waits behind others of its connection.
 */
export function hasLeft({ destroyed, closed, req }: ServerResponse): boolean {
  return destroyed || closed || req.socket.destroyed;
}

/**
 * Ends the connection of an answer of which nothing is read for some time. One that waits behind other answers of its
 * connection has as long until its turn.
 */
export function endUnread(response: ServerResponse, stallMs = STALL_MS): void {
  const { socket } = response.req;
  watched.add(response);
  // Node runs this timer only while the answer is being sent.
  response.setTimeout(stallMs, () => response.destroy());
  if (response.socket) return;
  const timer = setTimeout(() => socket.destroy(), stallMs).unref();
  const hasTurn = (): void => clearTimeout(timer);
  response.once("socket", hasTurn).once("close", hasTurn);
}

/** Ends the connection of an answer that is not read whole within the time. */
export function endSlow(response: ServerResponse, limitMs: number): void {
  const { socket } = response.req;
  const timer = setTimeout(() => socket.destroy(), limitMs).unref();
  response.once("close", () => clearTimeout(timer));
}

/**
 * Ends the connections of all of a server's answers that are made and of which nothing is read for some time. Of the smallest
 * too a part may wait in the process: a client chooses how little of them the kernel takes.
 */
export function endAllUnread(server: Server, stallMs = STALL_MS): void {
  const open = new Set<ServerResponse>();
  const look = (): void => {
    for (const response of open) {
      if (!response.writableEnded || !response.socket) continue;
      open.delete(response);
      if (!watched.has(response)) endUnread(response, stallMs);
    }
  };
  const looks = setInterval(look, Math.min(LOOK_MS, stallMs / 4)).unref();
  server.once("close", () => clearInterval(looks));
  server.on("request", (_request: IncomingMessage, response: ServerResponse) => {
    open.add(response);
    response.once("close", () => open.delete(response));
  });
}
