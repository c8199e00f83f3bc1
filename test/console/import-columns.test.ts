import { expect, test } from "vitest";
import { rowsOf } from "../../gateway/console/links/import-rows.ts";

/** Returns the milliseconds of the shortest of three readings of a file with that many columns, which is refused. */
function shortestMs(columns: number): number {
  const titles = Array.from({ length: columns }, (_, index) => index.toString(36));
  const file = Buffer.from(`${titles.join(",")}\n`);
  const times = Array.from({ length: 3 }, () => {
    const before = performance.now();
    expect(() => rowsOf(file, (key) => key)).toThrow("import_");
    return performance.now() - before;
  });
  return Math.min(...times);
}

test("eight times as many columns of a file of links take about eight times as long to refuse, not sixty", () => {
  shortestMs(4000);
  expect(shortestMs(32_000)).toBeLessThan(30 * shortestMs(4000));
});
