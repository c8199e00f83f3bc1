import fc from "fast-check";
import { readBankFile, type BankFile } from "../../../src/reconciliation/bank-files/bank-file.ts";
import { readMapping, type Mapping } from "../../../src/reconciliation/bank-files/mapping.ts";

/** What a test writes as a line and expects to read back. */
export interface WrittenLine {
  readonly day: string;
  readonly amountMinor: bigint;
  readonly text: string;
  readonly bankId: string;
}

export const MAPPING: Mapping = readMapping({
  separator: ";",
  decimal: ",",
  dateFormat: "DD/MM/YYYY",
  columns: { day: "Data", amount: "Valor", text: "Histórico", bankId: "Documento" },
});

export function read(content: string | Uint8Array, mapping: Mapping | null = null): BankFile {
  return readBankFile(typeof content === "string" ? Buffer.from(content) : content, mapping);
}

/** Reads a file of which every line is good. */
export function linesOf(content: string | Uint8Array, mapping: Mapping | null = null): BankFile["lines"] {
  const { lines, rejected } = read(content, mapping);
  if (rejected.length > 0) throw new Error(JSON.stringify(rejected));
  return lines;
}

export function fieldsOf({ lines }: Pick<BankFile, "lines">): WrittenLine[] {
  return lines.map(({ day, amountMinor, text, bankId }) => ({ day, amountMinor, text, bankId }));
}

/** Counts lines that are alike, as `ordinal` does. */
export function ordinalsOf(lines: readonly WrittenLine[]): number[] {
  const counts = new Map<string, number>();
  return lines.map(({ day, amountMinor, bankId }) => {
    const key = JSON.stringify([day, String(amountMinor), bankId]);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts.get(key) as number;
  });
}

const WORDS = [
  "PIX",
  "JOÃO & CIA",
  "A <B",
  "<3",
  "R$ 1,37",
  "ção",
  "&amp",
  "x;y",
  '"Q"',
  "123.456.789-09",
  "</",
  "a > b",
];
const CNAB_WORDS = ["PIX", "JOÃO", "A&B", "123"];

/** Lines of few days, amounts and ids, so that some are alike. */
export function someLines(words: readonly string[] = WORDS): fc.Arbitrary<WrittenLine[]> {
  const line = fc.record({
    day: fc.constantFrom("2026-11-03", "2026-11-04", "2024-02-29", "2026-12-31"),
    amountMinor: fc.oneof(
      fc.constantFrom(0n, 1n, -1n, 100n, -123_456n),
      fc.bigInt(-(10n ** 12n), 10n ** 12n),
    ),
    text: fc.array(fc.constantFrom(...words), { maxLength: 4 }).map((some) => some.join(" ").trim()),
    bankId: fc.constantFrom("", "X1", "X2", "000-7"),
  });
  return fc.array(line, { maxLength: 12 });
}

export const someCnabLines = (): fc.Arbitrary<WrittenLine[]> => someLines(CNAB_WORDS);

/** Returns an amount with a decimal mark, and thousands by the other one if wanted. */
export function amountText(minor: bigint, decimal: "," | ".", isGrouped: boolean): string {
  const digits = String(minor < 0n ? -minor : minor).padStart(3, "0");
  const whole = digits.slice(0, -2);
  const grouped = isGrouped ? whole.replaceAll(/\B(?=(?:\d{3})+$)/g, decimal === "," ? "." : ",") : whole;
  return `${minor < 0n ? "-" : ""}${grouped}${decimal}${digits.slice(-2)}`;
}

export function brazilian(day: string): string {
  return day.split("-").toReversed().join("/");
}

/** Returns a text in windows-1252; all of it is in Latin-1. */
export function latin(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}
