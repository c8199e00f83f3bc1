import { expect, onTestFinished, test, vi } from "vitest";
import { CostlyOwners } from "../../src/platform/costly-owners.ts";

test("an owner is costly for ten minutes from its last costly work, and no more are known than 10,000", () => {
  // The cache keeps the object `performance`, and looks at it once a millisecond.
  let nowMs = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
    clock.mockRestore();
  });
  const pass = (ms: number): void => {
    nowMs += ms;
    vi.advanceTimersByTime(ms);
  };
  const owners = new CostlyOwners();
  owners.note("tnt_a");
  pass(599_000);
  expect([owners.has("tnt_a"), owners.has("tnt_b")]).toEqual([true, false]);
  owners.note("tnt_a");
  pass(599_000);
  expect(owners.has("tnt_a")).toBe(true);
  pass(1001);
  expect(owners.has("tnt_a")).toBe(false);
  for (let index = 0; index <= 10_000; index++) owners.note(`tnt_${index}`);
  expect([owners.has("tnt_0"), owners.has("tnt_1"), owners.has("tnt_10000")]).toEqual([false, true, true]);
});
