import { hash } from "node:crypto";
import sharp from "sharp";
import { PaylinkError } from "../platform/errors.ts";

/** A picture as it is kept: WebP, and nothing beside its pixels. */
export interface Picture {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Hex. */
  readonly sha256: string;
}

/** What every picture is kept as. */
export const PICTURE_TYPE = "image/webp";

const PIXELS_MAX = 25_000_000;
// A line of a million pixels has few of them, and still makes a decoder work.
const GIVEN_SIDE_MAX = 12_000;
const SIDE_MAX = 1600;
const QUALITY = 82;
const SECONDS_MAX = 10;

// Of the many kinds that the decoder knows, no other is ever tried, whatever the bytes look like.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: ["VipsForeignLoadJpegBuffer", "VipsForeignLoadPngBuffer", "VipsForeignLoadWebpBuffer"],
});
// One thread for each picture, and no memory kept between them: there is other work in this process.
sharp.concurrency(1);
sharp.cache(false);

/**
 * Decodes a file by its content and writes it anew: upright, in sRGB, at most 1600 pixels on a side.
 * Error: media_refused on content.
 */
export async function remade(content: Uint8Array): Promise<Picture> {
  const { width, height } = await sizeOf(content);
  if (width * height > PIXELS_MAX) {
    throw refused(`The picture has ${width} by ${height} pixels: send one of at most 25 megapixels.`);
  }
  if (width > GIVEN_SIDE_MAX || height > GIVEN_SIDE_MAX) {
    const most = `send one of at most ${GIVEN_SIDE_MAX} on each side`;
    throw refused(`The picture has ${width} by ${height} pixels: ${most}.`);
  }
  try {
    const { data, info } = await sharp(content, { limitInputPixels: PIXELS_MAX, failOn: "error" })
      .timeout({ seconds: SECONDS_MAX })
      .autoOrient()
      .resize({ width: SIDE_MAX, height: SIDE_MAX, fit: "inside", withoutEnlargement: true })
      .webp({ quality: QUALITY })
      .toBuffer({ resolveWithObject: true });
    return { bytes: data, width: info.width, height: info.height, sha256: hash("sha256", data, "hex") };
  } catch (cause) {
    throw refused("The picture's file is damaged: save it anew and send it again.", cause);
  }
}

async function sizeOf(content: Uint8Array): Promise<{ width: number; height: number }> {
  try {
    // Only the header is read; what is too large is said to be so, with its size.
    return await sharp(content, { limitInputPixels: false }).metadata();
  } catch (cause) {
    throw refused("The file is not a whole PNG, JPEG or WebP picture: send one of these.", cause);
  }
}

function refused(message: string, cause?: unknown): PaylinkError {
  return new PaylinkError("media_refused", message, "content", { cause });
}
