import { isUtf8 } from "node:buffer";
import { parse } from "csv-parse/sync";
import { messagesIn as fieldMessagesIn } from "../fields/messages.ts";
import { Typed } from "../fields/typed.ts";
import type { Language } from "../../pages/language.ts";
import { INSTALLMENTS_MAX, installmentsOf } from "../prices/preview.ts";
import { FormProblem } from "../problems.ts";
import type { Translate } from "./messages.ts";

export const ROWS_MAX = 200;
/** A file is parsed in one piece. */
export const BYTES_MAX = 128 * 1024;
// No link has a longer row. What a row costs grows with its separators: the whole file's in one take a tenth of a second.
const ROW_KIB_MAX = 8;

/** The columns of the file: the fields of a link's form. */
export const COLUMNS = [
  "amount",
  "currency",
  "payment_methods",
  "max_installments",
  "fee_handling",
  "description",
  "details",
  "product_ref",
  "reference",
  "campaign",
  "expires_in_days",
];

// A program writes 159.900 for 159.90, a person 159.900 for thousands.
const AMBIGUOUS = /^\D*\d{1,3}[.,]\d{3}$/;
// A line for Excel, before the titles.
const SEPARATOR_LINE = /^sep=(.)[\r\n]/i;
const FIRST_LINE = /[^\r\n]+/;
const SEPARATORS = /[\s|+/]+/;
const QUOTE = 0x22;
const LINE_ENDS: ReadonlySet<number> = new Set([0x0a, 0x0d]);
/** What a person may write in a column of few words, and what the form has for it. */
const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  currency: { brl: "BRL", usd: "USD" },
  fee_handling: { absorb: "absorb", pass_through: "pass_through" },
  payment_methods: { pix: "pix", card: "card" },
  campaign: { yes: "yes", true: "yes", sim: "yes", 1: "yes", no: "", false: "", não: "", nao: "", 0: "" },
};

export type Row = Readonly<Record<string, string>>;

/** Returns the rows of a file. Throws FormProblem if it is no such file. */
export function rowsOf(content: Buffer, t: Translate): Row[] {
  if (!isUtf8(content)) throw ofFile(t("import_encoding"));
  requireShortRows(content, t);
  const text = new TextDecoder().decode(content);
  const hint = SEPARATOR_LINE.exec(text)?.[1];
  const columns: string[] = [];
  let records: string[][];
  try {
    records = parse(text, {
      delimiter: hint ?? separatorOf(text),
      from_line: hint === undefined ? 1 : 2,
      on_record: (cells) => {
        if (columns.length > 0) return cells;
        columns.push(...columnsOf(cells, t));
        return undefined;
      },
      record_delimiter: ["\r\n", "\n", "\r"],
      // Excel leaves out the separators after a row's last cell, and adds some for columns that were in use.
      relax_column_count: true,
      skip_records_with_empty_values: true,
      // The first is the titles'.
      to: ROWS_MAX + 2,
      trim: true,
    });
  } catch (error) {
    throw error instanceof FormProblem ? error : ofFile(t("import_malformed"));
  }
  if (records.length === 0) throw ofFile(t("import_empty"));
  if (records.length > ROWS_MAX) throw ofFile(t("import_many", { max: ROWS_MAX }));
  return records.map((cells) => rowOf(columns, cells, t));
}

/** Throws FormProblem if a row is longer than any link's. A line's end between quotes belongs to its row. */
function requireShortRows(content: Buffer, t: Translate): void {
  let begin = 0;
  let isQuoted = false;
  for (let at = 0; at < content.length; at++) {
    const byte = content[at] as number;
    if (byte === QUOTE) isQuoted = !isQuoted;
    if (!isQuoted && LINE_ENDS.has(byte)) begin = at + 1;
    else if (at - begin >= ROW_KIB_MAX * 1024) throw ofFile(t("import_row_long", { max: ROW_KIB_MAX }));
  }
}

/** Returns the columns that a file's titles name, "" for none. Throws FormProblem before the rows are read for unknown ones. */
function columnsOf(titles: readonly string[], t: Translate): string[] {
  const columns = titles.map((title) => title.trim().toLowerCase());
  const names = columns.filter((name) => name !== "");
  const seen = new Set<string>();
  const repeated = names.filter((name) => seen.size === seen.add(name).size);
  if (repeated.length > 0) throw ofFile(t("import_repeated", { names: some(repeated) }));
  const unknown = names.filter((name) => !COLUMNS.includes(name));
  if (unknown.length > 0) throw ofFile(t("import_columns", { names: some(unknown) }));
  return columns;
}

/** Returns a row by its columns. Throws FormProblem if a cell is in none: it would be lost. */
function rowOf(columns: readonly string[], cells: readonly string[], t: Translate): Row {
  const filled = cells.flatMap((cell, index) => (cell === "" ? [] : [[columns[index] ?? "", cell] as const]));
  if (filled.some(([column]) => column === "")) throw ofFile(t("import_malformed"));
  return Object.fromEntries(filled);
}

function some(names: readonly string[]): string {
  return names.slice(0, COLUMNS.length).join(", ");
}

function ofFile(text: string): FormProblem {
  return new FormProblem("content", text);
}

/** Returns what separates the columns of the first line: Excel in Portuguese writes semicolons. */
function separatorOf(text: string): string {
  const [head = ""] = FIRST_LINE.exec(text) ?? [];
  return [";", "\t"].find((separator) => head.includes(separator)) ?? ",";
}

/**
 * Returns a row as the form's fields. An empty cell is what the form has at first. Throws FormProblem if a cell has another
 * word than its column: a form has choices, and takes what it does not know for none.
 */
export function typedOf(row: Row, t: Translate, language: Language): Typed {
  if (AMBIGUOUS.test(row["amount"] ?? ""))
    throw new FormProblem("amount", fieldMessagesIn(language)("amount_ambiguous"));
  const { expires_in_days: days = "", ...others } = row;
  return Typed.of({
    ...others,
    currency: wordOf("currency", row, t),
    fee_handling: wordOf("fee_handling", row, t),
    payment_methods: methodsOf(row, t),
    max_installments: installments(row, t),
    campaign: wordOf("campaign", row, t),
    ...(days === "" ? {} : { expires_unit: "days", expires_in: days }),
  });
}

function wordOf(column: string, row: Row, t: Translate, text = row[column] ?? ""): string {
  if (text === "") return "";
  const words = WORDS[column] ?? {};
  const word = text.toLowerCase();
  if (Object.hasOwn(words, word)) return words[word] ?? "";
  throw new FormProblem(column, t("import_words", { words: Object.keys(words).join(", ") }));
}

function methodsOf(row: Row, t: Translate): string[] {
  const { payment_methods: text = "" } = row;
  if (text === "") return ["pix"];
  return text.split(SEPARATORS).map((word) => wordOf("payment_methods", row, t, word));
}

function installments(row: Row, t: Translate): string {
  const { max_installments: text = "" } = row;
  if (text === "" || installmentsOf(text) !== undefined) return text;
  throw new FormProblem("max_installments", t("import_words", { words: `1 … ${INSTALLMENTS_MAX}` }));
}
