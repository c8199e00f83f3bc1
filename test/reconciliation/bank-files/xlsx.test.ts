import fc from "fast-check";
import { strToU8, zipSync, type Zippable } from "fflate";
import { expect, test } from "vitest";
import writeExcelFile from "write-excel-file/node";
import { amountText, brazilian, fieldsOf, linesOf, MAPPING, ordinalsOf, read, someLines } from "./support.ts";

const TITLES = ["Data", "Histórico", "Documento", "Valor"];
const BOOK = '<workbook xmlns:r="r"><sheets><sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>';
const RELATIONS =
  '<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>';
const titles = `<row r="1">${TITLES.map((title) => `<c t="inlineStr"><is><t>${title}</t></is></c>`).join("")}</row>`;
const sheet = (rows: string): string => `<worksheet><sheetData>${titles}${rows}</sheetData></worksheet>`;
const row = (day: string, amount: string): string =>
  `<row r="2"><c r="A2">${day}</c><c r="D2">${amount}</c></row>`;
const book = (xml: string, more: Zippable = {}): Uint8Array =>
  zipSync({
    "xl/workbook.xml": strToU8(BOOK),
    "xl/_rels/workbook.xml.rels": strToU8(RELATIONS),
    "xl/worksheets/sheet1.xml": strToU8(xml),
    ...more,
  });

test("a workbook as a program writes it is read: days, numbers and texts", async () => {
  const file = await writeExcelFile([
    TITLES.map((value) => ({ value })),
    [
      { value: new Date("2026-11-03T00:00:00Z"), format: "dd/mm/yyyy" },
      { value: "A & <B> é" },
      { value: 7 },
      { value: -1234.56 },
    ],
    [{ value: "04/11/2026" }, { value: "text" }, null, { value: "1.234,56" }],
  ]).toBuffer();
  expect(fieldsOf({ lines: linesOf(file, MAPPING) })).toEqual([
    { day: "2026-11-03", amountMinor: -123_456n, text: "A & <B> é", bankId: "7" },
    { day: "2026-11-04", amountMinor: 123_456n, text: "text", bankId: "" },
  ]);
});

test.each([
  ["<v>46329</v>", "<v>1234.5599999999999</v>", "2026-11-03 123456"],
  ["<v>46329.75</v>", "<v>0.30000000000000004</v>", "2026-11-03 30"],
  ["<v>46329</v>", "<v>1.005</v>", '"1.005" is no amount'],
  ["<v>46329</v>", "<v>#REF!</v>", '"#REF!" is no amount'],
  ["<v>46329</v>", "", '"" is no amount'],
  ["<v>59</v>", "<v>1</v>", '"59" is no day'],
  ["<v>1e9</v>", "<v>1</v>", '"1000000000" is no day'],
])("a day %s and an amount %s are %s", (day, amount, expected) => {
  const { lines, rejected } = read(book(sheet(row(day, amount))), MAPPING);
  const found = lines.map((line) => `${line.day} ${line.amountMinor}`);
  expect([...found, ...rejected.map(({ line, reason }) => `${line === 2 ? "" : "?"}${reason}`)]).toEqual([
    expected,
  ]);
});

test.each([
  [sheet('<row r="5000000000000000000000"><c r="A1"/></row>'), "out of order"],
  [sheet('<row r="2"><c r="ZZZZZZ2"><v>1</v></c><c r="A2"><v>1</v></c></row>'), "out of order"],
  [sheet('<row r="4000000000"><c r="XFD1"><v>1</v></c></row>'), "no line"],
  ['<!DOCTYPE a [<!ENTITY e "x">]><worksheet><sheetData>&e;', "damaged"],
  [sheet('<row r="2"><c r="A2" t="s"><v>7</v></c></row>'), "not there"],
  [`${sheet("")}</x>`, ""],
])("a hostile sheet is rejected: %#", (xml, reason) => {
  const { lines, rejected } = read(book(xml), MAPPING);
  expect([lines, rejected]).toEqual([
    [],
    [{ line: expect.any(Number), reason: expect.stringContaining(reason) }],
  ]);
});

test("a zip bomb is refused by what it unpacks, whatever its headers claim", () => {
  const bomb = book("<worksheet/>", { "xl/bomb.xml": new Uint8Array(160 * 1024 * 1024) });
  const lying = Buffer.from(bomb);
  const claimed = Buffer.alloc(4);
  claimed.writeUInt32LE(160 * 1024 * 1024);
  for (let at = lying.indexOf(claimed); at !== -1; at = lying.indexOf(claimed, at))
    lying.writeUInt32LE(10, at);
  const before = process.memoryUsage().rss;
  for (const bytes of [bomb, lying]) {
    const start = performance.now();
    expect(read(bytes, MAPPING).rejected).toEqual([{ line: 1, reason: expect.stringContaining("unpacked") }]);
    const grownMb = (process.memoryUsage().rss - before) / 1e6;
    console.info(
      `bomb of ${bytes.length} bytes: ${(performance.now() - start).toFixed(0)} ms, RSS +${grownMb.toFixed(0)} MB`,
    );
  }
});

test("a long text that many rows repeat is refused", () => {
  const relations = RELATIONS.replace(
    "</",
    '<Relationship Id="rId2" Type="x/sharedStrings" Target="/xl/s.xml"/></',
  );
  const rows = Array.from({ length: 2000 }, (_, index) =>
    row("<v>46329</v>", "<v>1</v>")
      .replace('r="2"', `r="${index + 2}"`)
      .replace("</row>", '<c t="s"><v>0</v></c></row>'),
  );
  const more = {
    "xl/_rels/workbook.xml.rels": strToU8(relations),
    "xl/s.xml": strToU8(`<sst><si><t>${"a".repeat(60_000)}</t></si></sst>`),
  };
  const { lines, rejected } = read(book(sheet(rows.join("")), more), MAPPING);
  expect([lines, rejected]).toEqual([[], [{ line: 1120, reason: expect.stringContaining("in parts") }]]);
});

test("sizes of ZIP64 without its field end at once", () => {
  const file = Buffer.from(book(sheet(row("<v>46329</v>", "<v>1</v>"))));
  for (let at = file.indexOf("PK\u0003\u0004"); at !== -1; at = file.indexOf("PK\u0003\u0004", at + 1))
    file.writeUInt32LE(0xff_ff_ff_ff, at + 18);
  expect(read(file, MAPPING).rejected).toEqual([{ line: 1, reason: expect.stringContaining("ZIP") }]);
});

test("any lines that are written are read back, with their ordinals", async () => {
  await fc.assert(
    fc.asyncProperty(someLines(), fc.boolean(), async (some, isText) => {
      const lines = [...some, { day: "2026-11-03", amountMinor: 1n, text: "", bankId: "" }];
      const rows = lines.map(({ day, amountMinor, text, bankId }) => [
        isText ? { value: brazilian(day) } : { value: new Date(`${day}T00:00:00Z`), format: "dd/mm/yyyy" },
        { value: text },
        { value: bankId },
        isText ? { value: amountText(amountMinor, ",", true) } : { value: Number(amountMinor) / 100 },
      ]);
      const file = await writeExcelFile([TITLES.map((value) => ({ value })), ...rows]).toBuffer();
      const result = read(file, MAPPING);
      expect(result.rejected).toEqual([]);
      expect(fieldsOf(result)).toEqual(lines);
      expect(result.lines.map(({ ordinal }) => ordinal)).toEqual(ordinalsOf(lines));
    }),
    { numRuns: 30 },
  );
});

test("the begin of a workbook, and one with any byte changed, never throws", () => {
  const file = book(sheet(row("<v>46329</v>", "<v>1</v>")));
  fc.assert(
    fc.property(fc.nat(file.length - 1), fc.nat(255), (at, byte) => {
      const changed = Uint8Array.from(file);
      changed[at] = byte;
      expect(() => read(changed, MAPPING)).not.toThrow();
      const begin = read(file.slice(0, at), MAPPING);
      // All parts may be there, and what lists them not.
      if (begin.rejected.length === 0) expect(begin).toEqual(read(file, MAPPING));
    }),
  );
});
