import { setImmediate } from "node:timers/promises";
import type { Lines } from "./lines.ts";

// What is made of so many characters keeps the process for a millisecond or two. A single row may have more.
const PIECE_CHARACTERS = 64 * 1024;

/**
 * Yields the rows of an export in pieces of some 64 KiB, with other work in between: a page of payments with much metadata has
 * megabytes, and a client that reads quickly would have one piece after the other made at once.
 */
export async function* inPieces(lines: Lines): Lines {
  let piece: string[] = [];
  let characters = 0;
  for await (const some of lines) {
    for (const line of some) {
      piece.push(line);
      characters += line.length;
      if (characters < PIECE_CHARACTERS) continue;
      yield piece;
      [piece, characters] = [[], 0];
      await setImmediate();
    }
  }
  if (piece.length > 0) yield piece;
}
