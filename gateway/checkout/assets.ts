import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A file of the pages, at an address that changes with its content. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly content: Buffer;
}

const FOLDER = join(import.meta.dirname, "assets");
const DIGEST_CHARACTERS = 16;

/** Reads an asset, once at start. */
export function asset(name: string, type: string): Asset {
  const content = readFileSync(join(FOLDER, name));
  const digest = hash("sha256", content, "hex").slice(0, DIGEST_CHARACTERS);
  return { path: `/pay/assets/${digest}-${name}`, type, content };
}
