/** Returns whether a file may hold more frames of a WebP animation than this: decoders find them inside of each other too. */
export function hasMoreFrames(content: Uint8Array, most: number): boolean {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  let at = -1;
  for (let frames = 0; frames <= most; frames++) {
    at = bytes.indexOf("ANMF", at + 1, "latin1");
    if (at < 0) return false;
  }
  return true;
}
