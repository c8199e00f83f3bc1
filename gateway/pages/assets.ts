import type { FastifyInstance } from "fastify";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";

/** A file of a page, at an address that changes with its content. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly content: Buffer;
  /** The content in gzip. */
  readonly packed: Buffer;
}

/** The style sheet that all pages share. */
export const BASE_STYLE = join(import.meta.dirname, "assets", "base.css");

/** The icon of pages that have no other. */
export const ICON = join(import.meta.dirname, "assets", "icon.svg");

const DIGEST_CHARACTERS = 16;
const CACHE_SECONDS = 31_536_000;

/** Reads an asset. Called once at start. */
export function readAsset(file: string, folder: string, type: string): Asset {
  const content = readFileSync(file);
  const digest = hash("sha256", content, "hex").slice(0, DIGEST_CHARACTERS);
  return { path: `${folder}/${digest}-${basename(file)}`, type, content, packed: gzipSync(content) };
}

export function serveAssets(app: FastifyInstance, assets: Readonly<Record<string, Asset>>): void {
  for (const { path, type, content, packed } of Object.values(assets)) {
    app.route({
      method: "GET",
      url: path,
      exposeHeadRoute: true,
      handler: async ({ headers }, reply) => {
        const isPacked = takesGzip(headers["accept-encoding"]);
        if (isPacked) reply.header("content-encoding", "gzip");
        return await reply
          .header("cache-control", `public, max-age=${CACHE_SECONDS}, immutable`)
          .header("vary", "accept-encoding")
          .type(type)
          .send(isPacked ? packed : content);
      },
    });
  }
}

function takesGzip(accepted: string | string[] = ""): boolean {
  return String(accepted)
    .split(",")
    .some((coding) => /^\s*(gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*$)|$)/.test(coding));
}
