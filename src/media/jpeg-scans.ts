const MARK = 0xff;
const START_OF_FILE = 0xd8;
const START_OF_SCAN = 0xda;
const END_OF_FILE = 0xd9;

/** Returns how many scans a decoder finds in a JPEG file; 0 of another file. Bytes between segments are passed over, as decoders do. */
export function jpegScans(content: Uint8Array): number {
  if (content[0] !== MARK || content[1] !== START_OF_FILE) return 0;
  let scans = 0;
  for (let at = 0; at < content.length; at++) {
    if (content[at] !== MARK) continue;
    const marker = content[at + 1] ?? END_OF_FILE;
    if (marker === END_OF_FILE) break;
    if (!hasLength(marker)) continue;
    if (marker === START_OF_SCAN) scans++;
    at += 1 + (((content[at + 2] ?? 0) << 8) | (content[at + 3] ?? 0));
  }
  return scans;
}

/** 00 is an escaped byte of a scan, FF fills, and 01 and D0 to D8 stand alone. */
function hasLength(marker: number): boolean {
  return marker > 1 && marker < MARK && !(marker >= 0xd0 && marker <= 0xd8);
}
