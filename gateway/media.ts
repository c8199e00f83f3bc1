import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { pictureId } from "../contract/picture-name.ts";
import { HEADERS } from "../contract/headers.ts";
import { MediaService } from "../gen/paylink/media/v1/media_pb.ts";
import { noteOwner } from "./http/request-observer.ts";
import { CORE_TIMEOUT_MS } from "./rest/core-timeout.ts";
import { PublicError } from "./transcode/errors.ts";

const PATH = "/media/:name";
const CACHE_SECONDS = 31_536_000;

/** The methods that pictures take. Others are refused. */
export const MEDIA_VERBS: Readonly<Record<string, readonly string[]>> = { [PATH]: ["GET", "HEAD"] };

/** Serves pictures to everyone. The content of a name never changes, so clients may cache it without end. */
export function serveMedia(app: FastifyInstance, transport: Transport, coreToken: string): void {
  const client = createClient(MediaService, transport);
  const ask = async (
    request: FastifyRequest,
    asked: { readonly id: string; readonly withoutContent: boolean },
  ) =>
    await client.getMedia(asked, {
      headers: { authorization: `Bearer ${coreToken}`, [HEADERS.requestId]: request.id },
      timeoutMs: CORE_TIMEOUT_MS,
      onHeader: (header) => noteOwner(request, header),
    });
  app.route<{ Params: { name: string } }>({
    method: "GET",
    url: PATH,
    exposeHeadRoute: true,
    handler: async (request, reply) => {
      const id = pictureId(request.params.name);
      if (id === undefined) throw nothingHere();
      const read = async (withoutContent: boolean) =>
        await ask(request, { id, withoutContent }).catch((error: unknown) => {
          throw ConnectError.from(error).code === Code.NotFound ? nothingHere() : error;
        });
      const tags = request.headers["if-none-match"];
      if (tags !== undefined) {
        const { sha256 } = await read(true);
        if (knows(tags, etagOf(sha256))) return reply.headers(headersOf(sha256)).code(304).send();
      }
      const { content, contentType, sha256 } = await read(false);
      const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
      return reply.headers(headersOf(sha256)).type(contentType).send(bytes);
    },
  });
}

function headersOf(sha256: string): Readonly<Record<string, string>> {
  return {
    "cache-control": `public, max-age=${CACHE_SECONDS}, immutable`,
    "content-security-policy": "default-src 'none'; sandbox",
    // A merchant's own pages may show the picture too.
    "cross-origin-resource-policy": "cross-origin",
    "x-content-type-options": "nosniff",
    etag: etagOf(sha256),
  };
}

function etagOf(sha256: string): string {
  return `"${sha256}"`;
}

/** Returns whether If-None-Match has the current tag. */
function knows(tags: string, etag: string): boolean {
  const known = tags.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return known.some((tag) => tag === etag || tag === "*");
}

function nothingHere(): PublicError {
  return new PublicError("not_found", "There is nothing at this address: check its path.");
}
