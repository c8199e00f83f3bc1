import { STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { newId } from "../../contract/ids.ts";
import { PublicError } from "../transcode/errors.ts";

const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

// A client that is cut off at once may lose the answer.
const GRACE_MS = 1000;

const latest = new WeakMap<Socket, ServerResponse>();

/** Remembers the latest request of a connection, for `answerParserError`. */
export function noteLatest({ socket }: IncomingMessage, response: ServerResponse): void {
  latest.set(socket, response);
}

/**
 * Answers requests that Node's HTTP parser refuses, in the contract's shape, and ends their connections. There is no reply
 * object yet, so it is written by hand.
 */
export function answerParserError(
  error: Error & { code?: string },
  socket: Socket,
  headers: Readonly<Record<string, string>>,
): void {
  if (error.code === "ECONNRESET" || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const refused = refusal(error.code);
  const requestId = newId("req");
  const body = refused.toJson(requestId);
  const status = statuses[error.code ?? ""] ?? refused.status;
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
  // After a request that was too late Node looks at the connection no more: it would last until the client ends it.
  const timer = setTimeout(() => socket.destroy(), GRACE_MS).unref();
  socket.once("close", () => clearTimeout(timer));
}

// While an earlier request on the connection is unanswered, the client would take the error for its answer.
function isAnswering(socket: Socket): boolean {
  const response = latest.get(socket);
  return (
    response !== undefined && !response.writableFinished && (response.headersSent || response.req.complete)
  );
}

function refusal(code: string | undefined): PublicError {
  if (code === "HPE_HEADER_OVERFLOW")
    return new PublicError("invalid_request", "The headers are too large: send fewer or shorter ones.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new PublicError("invalid_request", "The request did not arrive in time: send it again.");
  }
  return new PublicError("invalid_request", "The request is not valid HTTP.");
}
