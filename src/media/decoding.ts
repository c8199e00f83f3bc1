import sharp from "sharp";

/** What became of a file. */
export type Decoded =
  | { readonly kind: "remade"; readonly bytes: Uint8Array; readonly width: number; readonly height: number }
  | { readonly kind: "refused"; readonly message: string };

const PIXELS_MAX = 25_000_000;
// A line of a million pixels is below the limit of pixels, but still costs the decoder much work.
const GIVEN_SIDE_MAX = 12_000;
const SIDE_MAX = 1600;
const QUALITY = 82;

// The decoder knows many formats. No others are tried, whatever the bytes look like.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: ["VipsForeignLoadJpegBuffer", "VipsForeignLoadPngBuffer", "VipsForeignLoadWebpBuffer"],
});
// Each picture uses one thread: the machine has other work.
sharp.concurrency(1);
sharp.cache(false);

/** Decodes a file by its content and encodes it again: upright, in sRGB, at most 1600 pixels on a side. */
export async function decode(content: Uint8Array): Promise<Decoded> {
  const size = await sizeOf(content);
  if (!size) return refused("The file is not a whole PNG, JPEG or WebP picture: send one of these.");
  const { width, height } = size;
  if (width * height > PIXELS_MAX) {
    return refused(`The picture has ${width} by ${height} pixels: send one of at most 25 megapixels.`);
  }
  if (width > GIVEN_SIDE_MAX || height > GIVEN_SIDE_MAX) {
    const most = `send one of at most ${GIVEN_SIDE_MAX} on each side`;
    return refused(`The picture has ${width} by ${height} pixels: ${most}.`);
  }
  try {
    const { data, info } = await sharp(content, { limitInputPixels: PIXELS_MAX, failOn: "error" })
      .autoOrient()
      .resize({ width: SIDE_MAX, height: SIDE_MAX, fit: "inside", withoutEnlargement: true })
      .webp({ quality: QUALITY })
      .toBuffer({ resolveWithObject: true });
    return { kind: "remade", bytes: data, width: info.width, height: info.height };
  } catch {
    return refused("The picture's file is damaged: save it anew and send it again.");
  }
}

async function sizeOf(content: Uint8Array): Promise<{ width: number; height: number } | undefined> {
  try {
    // This reads only the header. There is no limit, so that the error can name the size.
    return await sharp(content, { limitInputPixels: false }).metadata();
  } catch {
    return undefined;
  }
}

function refused(message: string): Decoded {
  return { kind: "refused", message };
}
