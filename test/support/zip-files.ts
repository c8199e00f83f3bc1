import { crc32, inflateRawSync } from "node:zlib";

const END = 0x06054b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const DEFLATED = 8;

/** Returns the files of a ZIP by their names, read by its directory. Throws Error when a checksum or a length is wrong. */
export function zipFiles(zip: Buffer): Map<string, Buffer> {
  const end = zip.length - END_BYTES;
  if (zip.readUInt32LE(end) !== END) throw new Error("no end of a ZIP");
  const files = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  for (let count = zip.readUInt16LE(end + 10); count > 0; count--) {
    const [crc, packed, length] = [16, 20, 24].map((offset) => zip.readUInt32LE(at + offset));
    const [nameLength = 0, extra = 0, comment = 0] = [28, 30, 32].map((offset) =>
      zip.readUInt16LE(at + offset),
    );
    const name = zip.toString("utf8", at + ENTRY_BYTES, at + ENTRY_BYTES + nameLength);
    const local = zip.readUInt32LE(at + 42);
    const from = local + LOCAL_BYTES + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const bytes = zip.subarray(from, from + (packed ?? 0));
    const file = zip.readUInt16LE(at + 10) === DEFLATED ? inflateRawSync(bytes) : bytes;
    if (crc32(file) !== crc || file.length !== length) throw new Error(`${name} is broken`);
    if (files.has(name)) throw new Error(`${name} is there twice`);
    files.set(name, file);
    at += ENTRY_BYTES + nameLength + extra + comment;
  }
  if (at !== end) throw new Error("the directory has another length");
  return files;
}
