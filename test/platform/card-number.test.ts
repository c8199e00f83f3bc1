import { expect, test } from "vitest";
import { readsAsCardNumber } from "../../src/platform/card-number.ts";
import { randomFor } from "../support/seed.ts";

test("a text of many small groups takes little longer than to find its digits", () => {
  const best = (work: () => unknown): number => {
    const times = Array.from({ length: 20 }, () => {
      const started = performance.now();
      work();
      return performance.now() - started;
    });
    return Math.min(...times);
  };
  for (const text of ["4 ".repeat(30_000), "44 ".repeat(20_000), `${"4 ".repeat(14)}44 `.repeat(1900)]) {
    const toFind = best(() => text.match(/\d+/g));
    // About 8; a search that tries each group with all that follow takes thousands.
    expect(best(() => readsAsCardNumber(text)) / toFind).toBeLessThan(60);
  }
});

test("groups read as a card's number exactly where some of them, as cards are written, do alone", () => {
  const written = [
    "16",
    "15",
    "4 4 4 4",
    "4 6 5",
    "4 6 4",
    ...[15, 16].map((count) => Array(count).fill(1).join(" ")),
  ];
  const shapes = new Set([...written, Array(8).fill(2).join(" ")]);
  const numbers = randomFor("card numbers");
  const random = (below: number): number => numbers.integer(0, below - 1);
  const group = (): string =>
    Array.from({ length: [1, 2, 4, 4, 5, 6, 15, 16][random(8)] ?? 1 }, () => "4453713627"[random(10)]).join(
      "",
    );
  let found = 0;
  for (let round = 0; round < 6000; round++) {
    const groups =
      round % 4 === 0
        ? Array.from({ length: 20 }, () => String(3 + random(3)).repeat(1 + (round % 8 === 0 ? 1 : 0)))
        : Array.from({ length: 1 + random(7) }, group);
    const sizes = groups.map(({ length }) => length);
    const isWindowCard = groups.some((_, from) =>
      groups.some((__, to) => {
        if (to < from || !shapes.has(sizes.slice(from, to + 1).join(" "))) return false;
        const digits = groups.slice(from, to + 1).join("");
        return readsAsCardNumber(digits.length === 14 ? digits.replace(/^(.{4})(.{6})/, "$1 $2 ") : digits);
      }),
    );
    const whole = groups.join("");
    const isCard = whole.length !== 44 && (isWindowCard || (whole.length > 14 && readsAsCardNumber(whole)));
    expect([groups, readsAsCardNumber(groups.join(" "))]).toEqual([groups, isCard]);
    if (isCard) found++;
  }
  expect(found).toBeGreaterThan(100);
});
