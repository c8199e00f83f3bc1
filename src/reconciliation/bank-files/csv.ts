import { CsvError, parse } from "csv-parse/sync";
import { LineList, RAW_MAX, UnreadableFile, type BankFile } from "./line-list.ts";
import { MappedRows } from "./mapped-rows.ts";
import type { Mapping } from "./mapping.ts";

const [QUOTE, NEWLINE, RETURN] = [0x22, 0x0a, 0x0d];

/**
 * Reads a CSV by its mapping. Throws UnreadableFile if it is none: without the mapping's titles, with a quote that does not
 * end, or with a row of more than RAW_MAX characters.
 */
export function readCsv(text: string, mapping: Mapping, list = new LineList()): BankFile {
  if (mapping.separator === null)
    throw new UnreadableFile("the account's mapping has no separator for a CSV");
  requireShortRows(text, mapping.separator);
  const rows = new MappedRows(mapping, list);
  let first = mapping.skipLines + 1;
  try {
    parse(text, {
      delimiter: mapping.separator,
      from_line: first,
      info: true,
      // The rows are lines by now, and not collected.
      on_record: (row, { lines }) => {
        // With `raw`, which its types leave out.
        const { record, raw } = row as unknown as { readonly record: string[]; readonly raw: string };
        rows.add(record, first, raw.replace(/[\r\n]+$/, ""));
        first = lines + 1;
        return null;
      },
      raw: true,
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      // Some banks write a name with quotes in a cell without any.
      relax_quotes: true,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UnreadableFile(`the CSV cannot be read from here on: ${error.code}`, first);
  }
  if (list.count === 0) throw new UnreadableFile("the CSV has no line that the account's mapping reads");
  return list.toFile();
}

/**
 * Throws UnreadableFile if a row is long: its cells would cost more than the file. A line's end in quotes is of its row. As in
 * the parser, a quote begins at the begin of a cell alone.
 */
function requireShortRows(text: string, separator: string): void {
  const before = new Set([separator.charCodeAt(0), NEWLINE, RETURN]);
  let [begin, line, isQuoted, closedAt] = [0, 1, false, -1];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE) line++;
    if (code === QUOTE) {
      if (isQuoted) closedAt = at;
      isQuoted = !isQuoted && (at === 0 || closedAt === at - 1 || before.has(text.charCodeAt(at - 1)));
    }
    if (!isQuoted && (code === NEWLINE || code === RETURN)) begin = at + 1;
    else if (at - begin >= RAW_MAX)
      throw new UnreadableFile(`the row has more than ${RAW_MAX} characters`, line);
  }
}
