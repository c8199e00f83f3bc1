import { expect, test } from "vitest";
import { BYTES_MAX, ROWS_MAX, rowsOf } from "../../gateway/console/links/import-rows.ts";

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
  const many = ",amount".repeat(1000);
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

const LINKS = [{ amount: "159,90", currency: "BRL", description: "Curso; com fotos" }, { amount: "10" }];

test.each([
  [
    "with empty columns at its end",
    'amount;currency;description;;\n159,90;BRL;"Curso; com fotos";;\n10;;;;\n',
  ],
  ["with an empty column between", 'amount;;currency;description\n159,90;;BRL;"Curso; com fotos"\n10;;;\n'],
  ["whose rows end at their last cell", 'amount;currency;description\n159,90;BRL;"Curso; com fotos"\n10\n'],
  [
    "with rows of separators, longer ones too",
    ';;\namount;currency;description\n;;\n159,90;BRL;"Curso; com fotos"\n;;;;;\n10;;;;\n; ;\n\n',
  ],
  [
    "that names its separator",
    'sep=;\r\namount;currency;description\r\n159,90;BRL;"Curso; com fotos"\r\n10;;',
  ],
  ["that names another separator", "SEP=|\namount|currency|description\n159,90|BRL|Curso; com fotos\n10||\n"],
  ["with line ends of old Macs", 'amount,currency,description\r"159,90",BRL,Curso; com fotos\r10,,\r'],
  [
    "with a byte order mark and all of these",
    '\uFEFFsep=;\ramount;currency;description;\r159,90;BRL;"Curso; com fotos";\r;;;\r10\r',
  ],
])("a file of links %s is read", (_what, text) => {
  expect(rowsOf(Buffer.from(text), (key) => key)).toEqual(LINKS);
});

test("a cell in a column without a title is refused, as it would be lost", () => {
  expect(refusalOf("amount;currency;\n10;BRL;a note\n")).toThrow("import_malformed");
  expect(refusalOf("amount;currency\n10;BRL;a note\n")).toThrow("import_malformed");
});

test("a file of titles and separators has no rows, and rows of separators do not count as links", () => {
  expect(refusalOf("amount;currency\n;\n;\n")).toThrow("import_empty");
  expect(refusalOf(";;;\n;;;\n")).toThrow("import_empty");
  const separated = (count: number): string => `amount;currency\n${"10;BRL\n;\n".repeat(count)}`;
  expect(rowsOf(Buffer.from(separated(ROWS_MAX)), (key) => key)).toHaveLength(ROWS_MAX);
  expect(refusalOf(separated(ROWS_MAX + 1))).toThrow("import_many");
});
