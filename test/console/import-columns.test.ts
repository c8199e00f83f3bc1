import { expect, test } from "vitest";
import { BYTES_MAX, rowsOf } from "../../gateway/console/links/import-rows.ts";

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

const refusalOf = (text: string): (() => unknown) => {
  return () => rowsOf(Buffer.from(text), (key) => key);
};

test("a file with a row that no link has is refused before it is parsed, whatever is in the row", () => {
  const size = BYTES_MAX - 8;
  for (const long of [",", ";", '"",', '"\n",', '"', " "]) {
    const row = long.repeat(size / long.length);
    expect(refusalOf(row)).toThrow("import_row_long");
    expect(refusalOf(`amount\n${row}`)).toThrow("import_row_long");
  }
});

test("titles of no columns are refused before the rows are read", () => {
  const many = ",".repeat(8000);
  expect(refusalOf(`${many}\n${many},\n`)).toThrow("import_repeated");
  expect(refusalOf(`amount,other\n"`)).toThrow("import_columns");
});

test("a row with the longest texts that a link has is read, over several lines too", () => {
  const text = `"${'""\n🎉🎉'.repeat(100)}"`;
  const rows = rowsOf(
    Buffer.from(`amount,description,details\n${`1,${text},${text}\n`.repeat(20)}`),
    (key) => key,
  );
  expect(rows.map(({ details }) => details)).toEqual(Array.from({ length: 20 }, () => '"\n🎉🎉'.repeat(100)));
});
