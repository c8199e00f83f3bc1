import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance } from "fastify";
import { invalidRequest, PublicError } from "./transcode/errors.ts";

/** Largest body of an address without a limit of its own, in bytes. */
export const BODY_LIMIT = 64 * 1024;

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i;

/** Keeps bodies as bytes for the strict reader. Error: payload_too_large. */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const options = { parseAs: "buffer", bodyLimit: BODY_LIMIT } as const;
  app.addContentTypeParser("*", options, (_request, body, done) => done(null, body));
}

/**
 * Refuses a body whose headers do not declare JSON, before it is read. Errors: unsupported_media_type; invalid_request
 * when there is no body and `isRequired`.
 */
export function refuseOtherBodies(headers: IncomingHttpHeaders, isRequired: boolean): void {
  const {
    "content-type": type,
    "content-encoding": encoding = "identity",
    "content-length": length = "0",
  } = headers;
  if (type === undefined && length === "0" && headers["transfer-encoding"] === undefined) {
    if (!isRequired) return;
    throw invalidRequest(null, "A JSON body is required.");
  }
  if (!JSON_TYPE.test(type?.trim() ?? "") || encoding !== "identity") {
    throw new PublicError("unsupported_media_type", "The body must be application/json.");
  }
}
