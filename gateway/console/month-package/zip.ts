import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { Zip, ZipDeflate } from "fflate";

/** A file of a ZIP, whose bytes are made when its turn comes. */
export interface Member {
  /** Path with slashes. */
  readonly name: string;
  readonly bytes: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
}

const SUMS = "SHA256SUMS";
// To compress so many bytes keeps the process for some milliseconds.
const PIECE_BYTES = 64 * 1024;

/**
 * Yields a ZIP of the members, one after the other, and at its end SHA256SUMS with the hash of each. It holds no more than
 * a piece of a member. The date is that of every member, so that the same members are the same bytes.
 */
export async function* zipOf(members: AsyncIterable<Member>, date: Date): AsyncGenerator<Uint8Array> {
  const made: Uint8Array[] = [];
  const zip = new Zip((error, bytes) => {
    if (error) throw error;
    made.push(bytes);
  });
  const sums: string[] = [];
  for await (const member of members) yield* packed(member);
  yield* packed({ name: SUMS, bytes: sums });
  zip.end();
  yield* made.splice(0);

  async function* packed({ name, bytes }: Member): AsyncGenerator<Uint8Array> {
    const hash = createHash("sha256");
    const file = new ZipDeflate(name);
    file.mtime = date;
    zip.add(file);
    for await (const part of bytes) {
      const whole = typeof part === "string" ? Buffer.from(part) : part;
      hash.update(whole);
      for (let from = 0; from < whole.length; from += PIECE_BYTES) {
        file.push(whole.subarray(from, from + PIECE_BYTES));
        yield* made.splice(0);
        await setImmediate();
      }
    }
    file.push(new Uint8Array(), true);
    yield* made.splice(0);
    sums.push(`${hash.digest("hex")}  ${name}\n`);
  }
}
