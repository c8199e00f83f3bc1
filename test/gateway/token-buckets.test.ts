import { expect, test } from "vitest";
import { TokenBuckets } from "../../gateway/token-buckets.ts";

test("buckets hold exactly their burst, gain by the second, and forget the least used of too many", () => {
  let now = 5;
  const buckets = new TokenBuckets({ perSecond: 3, burst: 7 }, () => now);
  for (let left = 7; left > 0; left--) {
    expect(buckets.level("first")).toMatchObject({ remaining: left, waitMs: 0 });
    buckets.take("first");
  }
  expect(buckets.level("first")).toMatchObject({ remaining: 0 });
  expect(buckets.level("first").waitMs).toBeCloseTo(1000 / 3);
  now += 334;
  expect(buckets.level("first")).toMatchObject({ remaining: 1, waitMs: 0 });
  for (let index = 0; index < 50_000; index++) buckets.take(`name ${index}`);
  expect(buckets.level("first")).toMatchObject({ remaining: 7, untilFullMs: 0 });
  expect(buckets.level("name 0")).toMatchObject({ remaining: 6 });
});
