import type { FastifyReply } from "fastify";
import { HEADERS } from "../../contract/headers.ts";
import { knownParam } from "./known-param.ts";
import { note } from "./request-observer.ts";
import type { PublicError } from "../transcode/errors.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const RETRY_AFTER_SECONDS = "1";

/** Sends a JSON text. */
export function sendJson(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).header("content-type", JSON_TYPE).send(text);
}

/** Sends an error in the contract's shape. A replayed error has the original request's id. */
export function sendError(reply: FastifyReply, error: PublicError): FastifyReply {
  note(reply.request, { outcome: error.code, param: knownParam(error.param) });
  const requestId = error.replayOf ?? reply.request.id;
  reply.header(HEADERS.publicRequestId, requestId);
  if (error.replayOf !== undefined) reply.header(HEADERS.idempotentReplay, "true");
  if (error.status === 401) reply.header("www-authenticate", "Bearer");
  const isForLater = error.code === "service_unavailable" || error.code === "rate_limited";
  if (isForLater && !reply.hasHeader(HEADERS.retryAfter))
    reply.header(HEADERS.retryAfter, RETRY_AFTER_SECONDS);
  return sendJson(reply, error.status, error.toJson(requestId));
}
