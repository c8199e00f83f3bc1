import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { pictureId } from "../contract/picture-name.ts";
import { HEADERS } from "../contract/headers.ts";
import { MediaService } from "../gen/paylink/media/v1/media_pb.ts";
import { noteOwner } from "./request-observer.ts";
import { CORE_TIMEOUT_MS } from "./core-timeout.ts";
import { PublicError } from "./transcode/errors.ts";

const PATH = "/media/:name";
const CACHE_SECONDS = 31_536_000;

/** The methods that pictures take. Others are refused. */
export const MEDIA_VERBS: Readonly<Record<string, readonly string[]>> = { [PATH]: ["GET", "HEAD"] };

/** Serves pictures to everyone. The content of a name never changes, so clients may cache it without end. */
export function serveMedia(app: FastifyInstance, transport: Transport, coreToken: string): void {
  const client = createClient(MediaService, transport);
  const read = async (request: FastifyRequest, id: string) =>
    await client.getMedia(
      { id },
      {
        headers: { authorization: `Bearer ${coreToken}`, [HEADERS.requestId]: request.id },
        timeoutMs: CORE_TIMEOUT_MS,
        onHeader: (header) => noteOwner(request, header),
      },
    );
  app.route<{ Params: { name: string } }>({
    method: "GET",
    url: PATH,
    exposeHeadRoute: true,
    handler: async (request, reply) => {
      const id = pictureId(request.params.name);
      if (id === undefined) throw nothingHere();
      const { content, contentType, sha256 } = await read(request, id).catch((error: unknown) => {
        throw ConnectError.from(error).code === Code.NotFound ? nothingHere() : error;
      });
      const etag = `"${sha256}"`;
      reply.headers({
        "cache-control": `public, max-age=${CACHE_SECONDS}, immutable`,
        "content-security-policy": "default-src 'none'; sandbox",
        // A merchant's own pages may show the picture too.
        "cross-origin-resource-policy": "cross-origin",
        "x-content-type-options": "nosniff",
        etag,
      });
      if (knows(request.headers["if-none-match"], etag)) return reply.code(304).send();
      return reply.type(contentType).send(Buffer.from(content));
    },
  });
}

/** Returns whether If-None-Match has the current tag. */
function knows(tags: string | undefined, etag: string): boolean {
  const known = (tags ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return known.some((tag) => tag === etag || tag === "*");
}

function nothingHere(): PublicError {
  return new PublicError("not_found", "There is nothing at this address.");
}
