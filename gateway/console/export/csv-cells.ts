/** How every CSV file is written: RFC 4180, which wants quotes around either half of a line's end too. */
export const CSV_FORMAT = { record_delimiter: "\r\n", quoted_match: /[\r\n]/ } as const;

// Where a spreadsheet begins a cell: at the text's beginning, and behind what some split a line at whatever the quotes
// say, as Excel in Portuguese does at ";". Spaces and quotes in front of a formula do not keep it from being one.
const FORMULA = /(?<=^|[;\t\r\n])(?=(?:"|[^\S\t\r\n])*[=+\-@＝＋－＠])|^(?=[\t\r\n])/g;

/** A text, with an apostrophe in front of whatever a spreadsheet could take for a formula. */
export function textCell(text: string): string {
  return text.replaceAll(FORMULA, "'");
}

/** A value as JSON in which a spreadsheet finds nothing to split at: it is in quotes, and holds neither ";" nor a tab. */
export function jsonCell(value: object): string {
  // What JSON itself is made of has no ";", and tabs are escaped: only texts are concerned, and mean the same.
  return JSON.stringify(value).replaceAll(";", String.raw`\u003b`);
}
