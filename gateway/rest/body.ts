import type { IncomingHttpHeaders } from "node:http";
import { MIMEType } from "node:util";
import type { FastifyInstance } from "fastify";
import { invalidRequest, PublicError } from "../transcode/errors.ts";

/** Largest body of an address without a limit of its own, in bytes. */
export const BODY_LIMIT = 64 * 1024;

const UTF_8 = /^(utf-?8|(us-)?ascii)$/i;

/** Keeps bodies as bytes for the strict reader. Error: payload_too_large. */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const options = { parseAs: "buffer", bodyLimit: BODY_LIMIT } as const;
  app.addContentTypeParser("*", options, (_request, body, done) => done(null, body));
}

/**
 * Refuses a body whose headers do not declare JSON in UTF-8, before it is read. Of the type's parameters, the charset alone
 * counts. Errors: unsupported_media_type; invalid_request when there is no body and `isRequired`.
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
  const media = mediaType(type ?? "");
  if (media?.essence !== "application/json")
    throw unsupported("The body must be application/json: send it with this Content-Type.");
  const charset = media.params.get("charset") ?? "utf-8";
  if (!UTF_8.test(charset)) throw unsupported(`The body must be in UTF-8, but its charset is ${charset}.`);
  if (encoding !== "identity") {
    throw unsupported(`The body must not be compressed, but its Content-Encoding is ${encoding}.`);
  }
}

function mediaType(text: string): MIMEType | undefined {
  try {
    return new MIMEType(text);
  } catch {
    return undefined;
  }
}

function unsupported(message: string): PublicError {
  return new PublicError("unsupported_media_type", message);
}
