/** The tests that the drill's own test runs the drill with. */
import { expect, test } from "vitest";
import { fence, toll, unused } from "./toll.ts";

// Known, and never called.
void unused;

test("the toll", () => {
  expect([toll(4, true), toll(30, true), toll(30, false)]).toEqual([0, 2, 5]);
});

test("the fence", () => {
  expect(fence(4)).toBe(3);
});
