import { expect, test } from "vitest";
import { holderAt, Occupancy } from "../../contract/occupancy.ts";

test("the networks of a neighbourhood have a bound together, and leave room for others", () => {
  const held = new Occupancy({ all: 64, ofOne: 16, ofGroup: 24 });
  const networks = ["2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:3::1"].map(holderAt);
  const [first, second, third] = networks as [
    ReturnType<typeof holderAt>,
    ReturnType<typeof holderAt>,
    ReturnType<typeof holderAt>,
  ];
  held.add(first, 16);
  expect(held.exceeded(first, 1)).toBe("ofOne");
  expect(held.exceeded(second, 8)).toBeUndefined();
  held.add(second, 8);
  expect(held.exceeded(third, 1)).toBe("ofOne");
  for (const other of ["2001:db8:2::1", "192.0.2.1", "198.51.100.1"]) {
    expect(held.exceeded(holderAt(other), 12)).toBeUndefined();
    held.add(holderAt(other), 12);
  }
  expect(held.exceeded(holderAt("203.0.113.1"), 8)).toBe("all");
  held.add(second, -8);
  expect(held.exceeded(third, 8)).toBeUndefined();
});
