import type { FastifyInstance } from "fastify";
import { PublicError } from "./transcode/errors.ts";

/** Largest body, in bytes. */
const BODY_LIMIT = 64 * 1024;

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i;

/** Bodies are JSON and are kept as bytes for the strict reader. Errors: unsupported_media_type, payload_too_large. */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: BODY_LIMIT }, (request, body, done) => {
    const type = request.headers["content-type"] ?? "";
    // An empty body has no type to be wrong about: what is missing is said by the reader.
    if (body.length > 0 && !JSON_TYPE.test(type.trim())) {
      done(new PublicError("unsupported_media_type", "The body must be application/json."));
    } else {
      done(null, body);
    }
  });
}
