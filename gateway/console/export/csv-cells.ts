/** The format of every CSV file: RFC 4180, which quotes a lone CR or LF too. */
export const CSV_FORMAT = { record_delimiter: "\r\n", quoted_match: /[\r\n]/ } as const;

// Matches where a spreadsheet starts a cell: at the start of the text, and after characters at which some split a line
// despite the quotes, such as ";" in Excel in Portuguese. Spaces and quotes before a formula do not disable it.
const FORMULA = /(?<=^|[;\t\r\n])(?=(?:"|[^\S\t\r\n])*[=+\-@＝＋－＠])|^(?=[\t\r\n])/g;

/** Returns a text with an apostrophe before everything that a spreadsheet could read as a formula. */
export function textCell(text: string): string {
  return text.replaceAll(FORMULA, "'");
}

/** Returns a value as JSON that no spreadsheet splits: it is quoted, and has no ";" and no tab. */
export function jsonCell(value: object): string {
  return jsonTextCell(JSON.stringify(value));
}

/** As `jsonCell`, of a value that JSON.stringify has written. */
export function jsonTextCell(json: string): string {
  // JSON's syntax has no ";" and escapes tabs, so only ";" in strings is left. Its escape has the same value.
  return json.replaceAll(";", String.raw`\u003b`);
}
