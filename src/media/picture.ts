import { hash } from "node:crypto";
import { PaylinkError } from "../platform/errors.ts";
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

// Others may wait so long for each such picture of two tenants.
const COSTLY_CPU_MS = 1000;

/**
 * Decodes a file by its content and encodes it again: upright, in sRGB, at most 1600 pixels on a side. `onCostly`: it took
 * long. Errors: media_refused on content, service_unavailable.
 */
export async function remade(content: Uint8Array, onCostly = (): void => undefined): Promise<Picture> {
  const { decoded, cpuMs } = await decodedApart(content);
  if (cpuMs > COSTLY_CPU_MS) onCostly();
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
