import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MappingProblem, readMapping } from "../../../src/reconciliation/bank-files/mapping.ts";
import {
  amountText,
  brazilian,
  fieldsOf,
  latin,
  linesOf,
  MAPPING,
  ordinalsOf,
  read,
  someLines,
} from "./support.ts";

const TITLES = "Data;Histórico;Documento;Valor";
const NET = readMapping({
  separator: ",",
  decimal: ".",
  dateFormat: "YYYY-MM-DD",
  skipLines: 2,
  skipTexts: ["saldo"],
  columns: { day: 1, credit: 3, debit: 4, text: [2, 5] },
});

test("columns are found by their titles, in either character set", () => {
  const file = `\uFEFF${TITLES}\r\n03/11/2026;PIX JOÃO;7;-1.234,56\r\n4/11/2026 10:20;"a;""b""";;10\r\n`;
  const expected = [
    { day: "2026-11-03", amountMinor: -123_456n, text: "PIX JOÃO", bankId: "7" },
    { day: "2026-11-04", amountMinor: 1000n, text: 'a;"b"', bankId: "" },
  ];
  expect(fieldsOf({ lines: linesOf(file, MAPPING) })).toEqual(expected);
  expect(fieldsOf({ lines: linesOf(latin(file.slice(1)), MAPPING) })).toEqual(expected);
  expect(linesOf(file, MAPPING)[0]?.raw).toBe("03/11/2026;PIX JOÃO;7;-1.234,56");
});

test("columns by number, of what came in and what went out, are read after lines that are skipped", () => {
  const rows = [
    "Bank",
    "a,b",
    "2026-11-03,in,1.00,,x",
    "2026-11-03,out,,2.00,",
    "2026-11-03,out,0.00,-3.00,",
  ];
  const file = [...rows, "2026-11-04,Saldo do dia,,,"].join("\n");
  expect(linesOf(file, NET).map(({ text, amountMinor }) => [text, amountMinor])).toEqual([
    ["in x", 100n],
    ["out", -200n],
    ["out", -300n],
  ]);
});

test("a quote within a cell is a part of it, in a long file too", () => {
  const rows = `03/11/2026;TV 50";7;1,00\n${'03/11/2026;a""b;7;1,00\n'.repeat(5000)}03/11/2026;"a\nb";7;1,00\n`;
  const lines = linesOf(`${TITLES}\n${rows}`, MAPPING);
  expect(lines).toHaveLength(5002);
  expect([lines[0]?.text, lines[1]?.text, lines[5001]?.text]).toEqual(['TV 50"', 'a""b', "a b"]);
});

test.each([
  ["2026-11-03,a,,", "no amount"],
  ["2026-11-03,a,1.00,1.00", "no amount"],
  ["2026-11-03,a,-1.00,", "no amount"],
  ["2026-02-30,a,1.00,", "no day"],
  ["03/11/2026,a,1.00,", "no day"],
  ['2026-11-03,a,"1,00",', "no amount"],
  ["2026-11-03,a,1.005,", "no amount"],
  ["2026-11-03,a,1e3,", "no amount"],
])("a row %s is rejected, and the line named", (row, reason) => {
  const { lines, rejected } = read(`x\nx\n2026-11-03,a,1.00,\n${row}\n`, NET);
  expect([lines.length, rejected]).toEqual([1, [{ line: 4, reason: expect.stringContaining(reason) }]]);
});

test.each([
  ["Data;Valor\n03/11/2026;1,00\n", 1, 'the titles have no "Histórico"'],
  [`${TITLES};Valor\n03/11/2026;a;1;1,00;2,00\n`, 1, 'the titles have two "Valor"'],
  [`${TITLES}\n03/11/2026;"a;1;1,00\n`, 2, "cannot be read"],
  [`${TITLES}\n${";".repeat(70_000)}\n`, 2, "more than 65536 characters"],
  [`${TITLES}\n`, 1, "no line"],
])("a file as a whole is refused: %#", (file, line, reason) => {
  const { lines, rejected } = read(file, MAPPING);
  expect([lines, rejected]).toEqual([[], [{ line, reason: expect.stringContaining(reason) }]]);
});

test("any lines that are written are read back, with their ordinals", () => {
  fc.assert(
    fc.property(someLines(), fc.boolean(), fc.boolean(), (some, isGrouped, isUtf8) => {
      const lines = [...some, { day: "2026-11-03", amountMinor: 1n, text: "", bankId: "" }];
      const rows = lines.map(({ day, amountMinor, text, bankId }) => [
        brazilian(day),
        text,
        bankId,
        amountText(amountMinor, ",", isGrouped),
      ]);
      const file = stringify([TITLES.split(";"), ...rows], { delimiter: ";" });
      const result = read(isUtf8 ? file : latin(file), MAPPING);
      expect(result.rejected).toEqual([]);
      expect(fieldsOf(result)).toEqual(lines);
      expect(result.lines.map(({ ordinal }) => ordinal)).toEqual(ordinalsOf(lines));
    }),
  );
});

test.each([
  { decimal: "x" },
  { dateFormat: "DD/YYYY" },
  { separator: "||" },
  { skipLines: -1 },
  { skipTexts: [""] },
  { sheet: 1 },
  { columns: { day: 1, text: 2 } },
  { columns: { day: 1, text: 2, amount: 3, credit: 4 } },
  { columns: { day: 0, text: 2, amount: 3 } },
  { columns: { day: 1, text: [], amount: 3, other: 4 } },
  { columns: null },
])("readMapping refuses %j", (change) => {
  const good = {
    separator: ";",
    decimal: ",",
    dateFormat: "DD/MM/YYYY",
    columns: { day: 1, amount: 2, text: 3 },
  };
  expect(() => readMapping(good)).not.toThrow();
  expect(() => readMapping({ ...good, ...change })).toThrow(MappingProblem);
});

test("readMapping reads what it has read, and throws MappingProblem alone", () => {
  expect(
    readMapping(
      JSON.parse(JSON.stringify({ ...NET, columns: { day: 1, amount: 2, text: [3], bankId: null } })),
    ),
  ).toMatchObject({ skipLines: 2 });
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(() => readMapping(value)).toThrow(MappingProblem);
    }),
  );
});
