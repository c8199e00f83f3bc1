import { expect, test } from "vitest";
import type { Lines } from "../../gateway/console/export/lines.ts";
import { inPieces } from "../../gateway/console/export/pieces.ts";

async function* pages(...given: readonly (readonly string[])[]): Lines {
  yield* given;
}

test("large rows of one page are made one after the other, with other work in between", async () => {
  const page = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(60_000, "x"));
  let otherWork = 0;
  const isDone = new AbortController();
  const work = (): void => {
    otherWork++;
    if (!isDone.signal.aborted) setImmediate(work);
  };
  setImmediate(work);
  const pieces = await Array.fromAsync(inPieces(pages(page)));
  isDone.abort();
  expect(pieces.flat()).toEqual(page);
  expect(Math.max(...pieces.map(({ length }) => length))).toBe(2);
  expect(otherWork).toBeGreaterThanOrEqual(pieces.length - 1);
});

test("small rows go together, across pages too, and nothing makes no piece", async () => {
  const [first, second] = [["a", "b"], ["c"]];
  expect(await Array.fromAsync(inPieces(pages(first, [], second)))).toEqual([["a", "b", "c"]]);
  expect(await Array.fromAsync(inPieces(pages([])))).toEqual([]);
});
