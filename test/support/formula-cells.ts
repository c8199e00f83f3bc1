import { parse } from "csv-parse/sync";

// The signs at which a spreadsheet takes a cell for a formula, and their full-width forms, which some take for the
// same.
const SIGNS = new Set(["=", "+", "-", "@", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"]);

/** Whether a cell begins as a formula, be it behind spaces and quotes. */
export function isFormula(cell: string): boolean {
  return SIGNS.has(cell.replace(/^[\s"]*/, "").slice(0, 1));
}

/** Texts that hold a formula behind what some spreadsheets split a line at. */
export const FORMULA_TEXTS = [
  "=1+1",
  " =1+1",
  "\t=1+1",
  "\r=1+1",
  ";=cmd|'/c calc'!A0;y",
  ";  +1;",
  ';"=1+1',
  ';"=1+1";"',
  '; " "@x',
  "\t-1\t=2",
  "\n@x\r\n=1",
  "\\;=1",
  ";＝1\t＠x",
  "=1;=2;=3",
  "\uFF0D1",
  " \uFF0B1;\uFF0D1",
];

const DELIMITERS = [",", ";", "\t"];

/** The cells that begin as a formula, for each of the usual separators. */
export function formulaCells(file: string | Buffer): string[] {
  return DELIMITERS.flatMap((delimiter) => {
    const options = { bom: true, delimiter, relax_quotes: true, relax_column_count: true };
    const strict = parseLeniently(file, options);
    // And where quotes say nothing at all.
    const split = delimiter === "," ? [] : parseLeniently(file, { ...options, quote: false });
    return [...strict, ...split].filter(isFormula);
  });
}

function parseLeniently(file: string | Buffer, options: object): string[] {
  const records: string[][] = parse(file, options);
  return records.flat();
}
