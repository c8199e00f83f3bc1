import type { ServerResponse } from "node:http";

/**
 * Returns whether an answer's connection has ended, so that its "close" does not come any more. Node does not mark an answer
 * that waits behind others of its connection.
 */
export function hasLeft({ destroyed, closed, req }: ServerResponse): boolean {
  return destroyed || closed || req.socket.destroyed;
}

/** Returns a signal that aborts when an answer has left or its connection has ended. */
export function closedSignal(response: ServerResponse): AbortSignal {
  if (hasLeft(response)) return AbortSignal.abort();
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  return controller.signal;
}
