import { hash } from "node:crypto";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { decodedApart } from "./decoder.ts";

/** A picture as stored: WebP, without metadata. */
export interface Picture {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Hex. */
  readonly sha256: string;
}

/** The type of every stored picture. */
export const PICTURE_TYPE = "image/webp";

/**
 * Decodes a file by its content and encodes it again: upright, in sRGB, at most 1600 pixels on a side.
 * Errors: media_refused on content, service_unavailable.
 */
export async function remade(content: Uint8Array): Promise<Picture> {
  const { decoded } = await decodedApart(content);
  if (decoded === "late") {
    throw new PaylinkError("service_unavailable", "The picture took too long: try again in a moment.");
  }
  if (decoded === "endless") {
    throw refused("The picture takes too much time or memory to decode: save it anew and send it again.");
  }
  if (decoded.kind === "refused") throw refused(decoded.message);
  const { bytes, width, height } = decoded;
  return { bytes, width, height, sha256: hash("sha256", bytes, "hex") };
}

function refused(message: string): PaylinkError {
  return new PaylinkError("media_refused", message, "content");
}
