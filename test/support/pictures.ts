import { crc32, deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";
import { randomFor } from "./seed.ts";

/** A picture of two colours, the left half red and the right half blue, to be written as some kind of file. */
export function drawn(width: number, height: number): Sharp {
  const pixels = Buffer.alloc(width * height * 3);
  for (let index = 0; index < width * height; index++) {
    pixels[index * 3 + (index % width < width / 2 ? 0 : 2)] = 255;
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

export async function png(width = 40, height = 30): Promise<Buffer> {
  return await drawn(width, height).png().toBuffer();
}

/** A PNG file of one bit for each pixel that says it is so large, and holds these bytes where its pixels should be. */
export function pngSaying(width: number, height: number, pixels: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  const parts = [chunk("IHDR", header), chunk("IDAT", deflateSync(pixels)), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]);
}

/** A PNG of 2 MB with so many compressed texts that they unpack to 2 GB. */
export async function pngOfTexts(): Promise<Buffer> {
  const packed = deflateSync(Buffer.alloc(7_900_000, "a"));
  const text = chunk("zTXt", Buffer.concat([Buffer.from("Comment\0\0"), packed]));
  return pngWith(await png(), Buffer.concat(Array.from({ length: 260 }, () => text)));
}

function pngWith(whole: Buffer, chunks: Buffer): Buffer {
  const pixels = whole.indexOf("IDAT") - 4;
  return Buffer.concat([whole.subarray(0, pixels), chunks, whole.subarray(pixels)]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** What a kept picture is: its kind and size, all that it holds beside its pixels, and the colours of both halves. */
export async function seen(bytes: Uint8Array) {
  const { format, width, height, exif, icc, xmp, orientation } = await sharp(bytes).metadata();
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const colourAt = (x: number, y: number): string => {
    const start = (y * info.width + x) * info.channels;
    return [...data.subarray(start, start + 3)].map((value) => (value > 128 ? "1" : "0")).join("");
  };
  const [first, last] = [colourAt(2, 2), colourAt(width - 3, height - 3)];
  return { format, width, height, beside: { exif, icc, xmp, orientation }, first, last };
}

/** A PNG of nearly 3 MiB whose pixels do not compress. */
export async function noise(): Promise<Buffer> {
  const pixels = { raw: { width: 1000, height: 1000, channels: 3 } } as const;
  const random = randomFor("noise");
  const bytes = Uint8Array.from({ length: 3_000_000 }, () => random.integer(0, 255));
  return await sharp(bytes, pixels).png({ compressionLevel: 0 }).toBuffer();
}

/** A PNG file of 13 KB whose EXIF data has a thousand pointers to itself: a decoder follows each, and all of them there. */
export async function endlessExif(): Promise<Buffer> {
  const count = 1000;
  const exif = Buffer.alloc(10 + count * 12 + 4);
  exif.write("MM\0*\0\0\0\b", "latin1");
  exif.writeUInt16BE(count, 8);
  for (let index = 0; index < count; index++) {
    const at = 10 + index * 12;
    exif.writeUInt16BE([0x8769, 0x8825, 0xa005][index % 3] ?? 0, at);
    exif.writeUInt16BE(4, at + 2);
    exif.writeUInt32BE(1, at + 4);
    exif.writeUInt32BE(8, at + 8);
  }
  return pngWith(await png(), chunk("eXIf", exif));
}
