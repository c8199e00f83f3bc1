import { Unzip, UnzipInflate } from "fflate";
import { UnreadableFile } from "./line-list.ts";

/** Bytes that all parts of a workbook may have once they are unpacked. */
const UNPACKED_MAX = 128 * 1024 * 1024;
// Deflate makes at most 1032 bytes of one, so that a step is 16 MiB at most.
const STEP_BYTES = 16 * 1024;
const READ = /^xl\/.*\.(?:xml|rels)$/i;

/**
 * Returns the XML parts of a workbook by their paths. Throws UnreadableFile if it is no complete ZIP, or past UNPACKED_MAX,
 * whatever its headers claim.
 */
export function partsOf(bytes: Uint8Array): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  let unpackedBytes = 0;
  const unzip = new Unzip((file) => {
    if (!READ.test(file.name)) return;
    const chunks: Uint8Array[] = [];
    file.ondata = (error, chunk, isLast) => {
      if (error) throw error;
      unpackedBytes += chunk.length;
      if (unpackedBytes > UNPACKED_MAX)
        throw new UnreadableFile(
          `the workbook has more than ${UNPACKED_MAX} bytes unpacked: import it in parts`,
        );
      chunks.push(chunk);
      if (isLast) parts.set(file.name, new TextDecoder().decode(Buffer.concat(chunks)));
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  try {
    for (let from = 0; from < bytes.length; from += STEP_BYTES) {
      const end = from + STEP_BYTES;
      unzip.push(bytes.subarray(from, end), end >= bytes.length);
    }
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile("the workbook is damaged: it is no complete ZIP");
  }
  return parts;
}
