import type { FastifyInstance } from "fastify";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** A file of a page, at an address that changes with its content. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  /** One object for the process's life, so that it is compressed once (`../compression.ts`). */
  readonly content: Buffer;
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
  return { path: `${folder}/${digest}-${basename(file)}`, type, content };
}

export function serveAssets(app: FastifyInstance, assets: Readonly<Record<string, Asset>>): void {
  for (const { path, type, content } of Object.values(assets)) {
    app.route({
      method: "GET",
      url: path,
      exposeHeadRoute: true,
      handler: async (_request, reply) =>
        await reply
          .header("cache-control", `public, max-age=${CACHE_SECONDS}, immutable`)
          .type(type)
          .send(content),
    });
  }
}
