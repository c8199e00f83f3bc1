import { JsonCounter } from "./json-counter.ts";

/** What an answer may hold at most: its server decides its size, and all tenants of the process pay for its parsing. */
export interface AnswerBounds {
  readonly bytes: number;
  /** Values and members of its JSON, at any depth. */
  readonly elements: number;
}

/**
 * Returns an answer's text, or undefined if it is beyond its bounds: it is then read no further. It is counted as it
 * comes, so that no part of it takes long.
 */
export async function boundedText(
  body: AsyncIterable<Uint8Array>,
  bounds: AnswerBounds,
): Promise<string | undefined> {
  const counter = new JsonCounter();
  // A server may send each byte by itself: a list of the parts would take a hundred times their size.
  let kept = Buffer.alloc(0);
  let length = 0;
  for await (const part of body) {
    const end = length + part.length;
    if (end > bounds.bytes || counter.add(part, bounds.elements) > bounds.elements) return undefined;
    if (end > kept.length) kept = Buffer.concat([kept], Math.max(end, 2 * kept.length));
    kept.set(part, length);
    length = end;
  }
  return new TextDecoder().decode(kept.subarray(0, length));
}
