import { expect, test } from "vitest";
import { inOrder, longerRest } from "../../cli/core/core-peers.ts";

test("a core that stays silent rests twice as long each time, up to 30 seconds", () => {
  const rests: number[] = [];
  for (let restMs = 0; rests.length < 7; rests.push(restMs)) restMs = longerRest(restMs);
  expect(rests).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
});

test("cores in use take turns, and those that rest come last, the shortest rest first", () => {
  const [a, b, c, d] = [{ restMs: 0 }, { restMs: 4000 }, { restMs: 0 }, { restMs: 1000 }];
  const peers = [a, b, c, d];
  expect(inOrder(peers, 0)).toEqual([a, c, d, b]);
  expect(inOrder(peers, 1)).toEqual([c, a, d, b]);
  expect(inOrder(peers, 3)).toEqual([a, c, d, b]);
});

test("when all cores rest, the one that rests least is first", () => {
  const [gone, silent] = [{ restMs: 30_000 }, { restMs: 1000 }];
  for (const turn of [0, 1]) expect(inOrder([gone, silent], turn)[0]).toBe(silent);
});
