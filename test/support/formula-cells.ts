import { parse } from "csv-parse/sync";

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
];

const DELIMITERS = [",", ";", "\t"];

/** The cells that begin as a formula, whichever of the usual separators the file is split at. */
export function formulaCells(file: string | Buffer): string[] {
  return DELIMITERS.flatMap((delimiter) => {
    const options = { bom: true, delimiter, relax_quotes: true, relax_column_count: true };
    const strict = parseLeniently(file, options);
    // And where quotes say nothing at all.
    const split = delimiter === "," ? [] : parseLeniently(file, { ...options, quote: false });
    return [...strict, ...split].filter((cell) => /^[\s"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/.test(cell));
  });
}

function parseLeniently(file: string | Buffer, options: object): string[] {
  const records: string[][] = parse(file, options);
  return records.flat();
}
