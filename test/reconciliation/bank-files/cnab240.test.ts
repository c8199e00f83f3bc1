import fc from "fast-check";
import { expect, test } from "vitest";
import { fieldsOf, latin, linesOf, ordinalsOf, read, someCnabLines, type WrittenLine } from "./support.ts";

const ACCOUNT = "012345000000067890 1";
/** Writes fields at their first positions, from 1, into a record of 240 characters. */
function record(fields: Readonly<Record<number, string>>): string {
  let text = "";
  for (const [at, field] of Object.entries(fields)) text = text.padEnd(Number(at) - 1) + field;
  return text.padEnd(240);
}

const header = record({ 1: "34100000", 53: ACCOUNT, 73: "LOJA" });
const batch = record({
  1: "34100011E0440050",
  53: ACCOUNT,
  143: "02112026",
  151: "0".repeat(18),
  169: "CFBRL",
});
const trailer = (status: string): string =>
  record({
    1: "34100015",
    53: ACCOUNT,
    143: "04112026",
    151: String(150_025).padStart(18, "0"),
    169: `D${status}`,
  });
const end = record({ 1: "34199999" });
const detail = ({ day, amountMinor, text, bankId }: WrittenLine, account = ACCOUNT): string =>
  record({
    1: "3410001300001E",
    53: account,
    109: "DPV",
    143: day.split("-").toReversed().join(""),
    151: String(amountMinor < 0n ? -amountMinor : amountMinor).padStart(18, "0"),
    169: amountMinor < 0n ? "D" : "C",
    170: "2080006",
    177: text,
    202: bankId,
  });
const line: WrittenLine = { day: "2026-11-03", amountMinor: -1050n, text: "PIX JOÃO", bankId: "000-7" };
const file = (...details: string[]): string =>
  [header, batch, ...details, trailer("F"), end, ""].join("\r\n");

test("input 33: segment E of 240 characters is read, with its sign, in either character set", () => {
  for (const content of [file(detail(line)), latin(file(detail(line))), detail(line)]) {
    expect(linesOf(content)).toEqual([{ ...line, currency: "BRL", ordinal: 1, raw: detail(line) }]);
  }
  expect(read(file(detail(line))).balance).toEqual({ day: "2026-11-04", minor: -150_025n });
});

test("input 33: segment E of 239 characters is rejected, and the line named", () => {
  const short = detail(line).slice(0, 239);
  const rejected = [{ line: 3, reason: "it has 239 characters instead of 240" }];
  expect(read(file(short, detail(line)))).toMatchObject({ lines: [{ ordinal: 1 }], rejected });
  expect(read(short).rejected).toEqual([{ ...rejected[0], line: 1 }]);
  expect(read(file(`${detail(line)} `)).rejected).toEqual([
    { line: 3, reason: "it has 241 characters instead of 240" },
  ]);
});

test.each([
  [143, "31112026", "is no day"],
  [143, "        ", "is no day"],
  [151, "0000000000000010,5", "is no amount"],
  [169, "X", "is no amount"],
  [14, "A", 'segment "A"'],
  [8, "7", "is no type of record"],
])("a record with, at %i, %j is rejected", (at, value, reason) => {
  const good = detail(line);
  const bad = good.slice(0, at - 1) + value + good.slice(at - 1 + value.length);
  expect(read(file(bad)).rejected).toEqual([{ line: 3, reason: expect.stringContaining(reason) }]);
});

test("files of two accounts, without segment E, or without their end are rejected", () => {
  const reasonOf = (content: string): string | undefined => read(content).rejected[0]?.reason;
  expect(reasonOf(file(detail(line), detail(line, ACCOUNT.replace("1", "2"))))).toContain("two accounts");
  expect(reasonOf(file())).toContain("no segment E");
  expect(reasonOf([header, batch, detail(line)].join("\n"))).toContain("ends before");
});

test("a balance that is not final is none", () => {
  expect(read([header, batch, detail(line), trailer("P"), end].join("\n")).balance).toBeNull();
});

test("any lines that are written are read back, with their ordinals", () => {
  fc.assert(
    fc.property(someCnabLines(), fc.boolean(), fc.constantFrom("\r\n", "\n"), (some, isUtf8, newline) => {
      const written = [...some, line];
      const content = file(...written.map((one) => detail(one))).replaceAll("\r\n", newline);
      const result = read(isUtf8 ? content : latin(content));
      expect(result.rejected).toEqual([]);
      expect(fieldsOf(result)).toEqual(written);
      expect(result.lines.map(({ ordinal }) => ordinal)).toEqual(ordinalsOf(written));
    }),
  );
});

test("the begin of a file has lines of the file alone, and is rejected", () => {
  fc.assert(
    fc.property(someCnabLines(), fc.nat(), (some, at) => {
      const content = file(...some.map((one) => detail(one)));
      const result = read(content.slice(0, at % (content.length - 243)));
      expect(fieldsOf(result)).toEqual(some.slice(0, result.lines.length));
      expect(result.rejected).not.toEqual([]);
    }),
  );
});
