import type { FastifyInstance, RouteHandlerMethod } from "fastify";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serveAssets } from "../pages/assets.ts";
import { protectPages } from "../pages/protect.ts";
import { ASSETS, docsPage } from "./page.ts";

const DOCUMENT = readFileSync(join(import.meta.dirname, "..", "..", "gen", "openapi.json"));
// Weak: it is the same for each encoding.
const ETAG = `W/"${hash("sha256", DOCUMENT, "base64url")}"`;

/** The methods that each address takes. Others are refused. */
export const DOCS_VERBS: Readonly<Record<string, readonly string[]>> = {
  "/openapi.json": ["GET", "HEAD"],
  "/docs": ["GET", "HEAD"],
};

/** Adds the contract's OpenAPI document and the page that shows it. Nothing here loads from another host. */
export async function docsPages(app: FastifyInstance): Promise<void> {
  // The renderer's style sheet holds its icons as data.
  await protectPages(app, { images: ["data:"], hasForms: false, referrer: "no-referrer" });
  serveAssets(app, ASSETS);
  const page = (url: string, handler: RouteHandlerMethod): void => {
    app.route({ method: "GET", url, exposeHeadRoute: true, handler });
  };
  page("/openapi.json", async (request, reply) => {
    reply.headers({ etag: ETAG, "cache-control": "no-cache" });
    if (request.headers["if-none-match"] === ETAG) return await reply.code(304).send();
    return await reply.type("application/json; charset=utf-8").send(DOCUMENT);
  });
  page("/docs", async (_request, reply) => {
    const text = (await docsPage(reply.cspNonce)).toString();
    return await reply.header("cache-control", "no-store").type("text/html; charset=utf-8").send(text);
  });
}
