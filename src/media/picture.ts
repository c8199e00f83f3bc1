import { hash } from "node:crypto";
import type { default as Sharp, Metadata } from "sharp";
import { PaylinkError } from "../platform/errors.ts";
import { jpegScans } from "./jpeg-scans.ts";
import { hasMoreFrames } from "./webp-frames.ts";

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

const PIXELS_MAX = 25_000_000;
// A line of a million pixels is below the limit of pixels, but still costs the decoder much work.
const GIVEN_SIDE_MAX = 12_000;
// Each scan goes through the whole picture again in a few bytes, and the decoder sees no time limit before the last one.
// Programs write at most some twenty.
const SCANS_MAX = 50;
// To read the header takes time by the square of the frames, without a limit. Only the first frame is kept.
const FRAMES_MAX = 1000;
const SIDE_MAX = 1600;
const QUALITY = 82;
const SECONDS_MAX = 10;

let decoder: Promise<typeof Sharp> | undefined;

/** Loads the decoder at the first picture, so that a start does not wait for it. */
async function loadDecoder(): Promise<typeof Sharp> {
  const { default: sharp } = await import("sharp");
  // The decoder knows many formats. No others are tried, whatever the bytes look like.
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({
    operation: ["VipsForeignLoadJpegBuffer", "VipsForeignLoadPngBuffer", "VipsForeignLoadWebpBuffer"],
  });
  // Each picture uses one thread, and no memory is kept between them: the process has other work.
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
}

/**
 * Decodes a file by its content and encodes it again: upright, in sRGB, at most 1600 pixels on a side. Error:
 * media_refused on content.
 */
export async function remade(content: Uint8Array): Promise<Picture> {
  if (hasMoreFrames(content, FRAMES_MAX)) {
    throw refused(`The picture has more than ${FRAMES_MAX} frames: send one without an animation.`);
  }
  const sharp = await (decoder ??= loadDecoder());
  const { format, width, height } = await sizeOf(sharp, content);
  if (width * height > PIXELS_MAX) {
    throw refused(`The picture has ${width} by ${height} pixels: send one of at most 25 megapixels.`);
  }
  if (width > GIVEN_SIDE_MAX || height > GIVEN_SIDE_MAX) {
    const most = `send one of at most ${GIVEN_SIDE_MAX} on each side`;
    throw refused(`The picture has ${width} by ${height} pixels: ${most}.`);
  }
  if (format === "jpeg" && jpegScans(content) > SCANS_MAX) {
    throw refused(`The picture is a JPEG of more than ${SCANS_MAX} scans: save it anew and send it again.`);
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

async function sizeOf(
  sharp: typeof Sharp,
  content: Uint8Array,
): Promise<Pick<Metadata, "format" | "width" | "height">> {
  try {
    // This reads only the header. There is no limit, so that the error can name the size.
    return await sharp(content, { limitInputPixels: false }).metadata();
  } catch (cause) {
    throw refused("The file is not a whole PNG, JPEG or WebP picture: send one of these.", cause);
  }
}

function refused(message: string, cause?: unknown): PaylinkError {
  return new PaylinkError("media_refused", message, "content", { cause });
}
