import type { Decimal } from "./amount.ts";
import { DATE_FORMATS, type DateFormat } from "./file-day.ts";

/** A column by its title, which the first row that is not skipped then has, or by its number from 1. */
export type Column = string | number;

/** How the rows of a bank's CSV or XLSX are read. It is stored as JSON with the bank account. */
export interface Mapping {
  /** Between the cells of a CSV; null if the bank's files are workbooks. */
  readonly separator: string | null;
  /** Before the decimals of an amount that is text. */
  readonly decimal: Decimal;
  /** Of a day that is text. */
  readonly dateFormat: DateFormat;
  /** Lines before the titles or, without titles, before the first movement. */
  readonly skipLines: number;
  /** Rows whose text begins with one of these are no movements, in any case: "SALDO". */
  readonly skipTexts: readonly string[];
  readonly columns: {
    readonly day: Column;
    /** Either one column of signed amounts, or one of what came in and one of what went out. */
    readonly amount: Column | { readonly credit: Column; readonly debit: Column };
    /** Joined by a space. */
    readonly text: readonly Column[];
    /** Document number; null if the file has none. */
    readonly bankId: Column | null;
  };
}

/** A JSON value is no mapping. The message names the field. */
export class MappingProblem extends Error {}

const SEPARATORS = [";", ",", "\t", "|"];
const DECIMALS: readonly Decimal[] = [",", "."];
const SKIP_LINES_MAX = 1000;
const SKIP_TEXTS_MAX = 20;
const TEXT_COLUMNS_MAX = 5;
/** Columns of a row that a mapping may name. */
export const COLUMN_MAX = 256;
const TITLE_MAX = 200;

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a stored or given mapping: `{"separator": ";", "decimal": ",", "dateFormat": "DD/MM/YYYY", "skipLines": 0,
 * "skipTexts": ["SALDO"], "columns": {"day": "Data", "amount": "Valor", "text": ["Histórico"], "bankId": 4}}`, with
 * `"credit"` and `"debit"` instead of `"amount"` for two columns. Throws MappingProblem on anything else, unknown keys too.
 */
export function readMapping(value: unknown): Mapping {
  const mapping = objectOf(value, "mapping");
  requireKeys(mapping, ["separator", "decimal", "dateFormat", "skipLines", "skipTexts", "columns"], "");
  const { separator = null, decimal, dateFormat, skipLines = 0, skipTexts = [] } = mapping;
  const columns = objectOf(mapping["columns"], "columns");
  requireKeys(columns, ["day", "amount", "credit", "debit", "text", "bankId"], "columns.");
  return {
    separator: separator === null ? null : oneOf(separator, SEPARATORS, "separator"),
    decimal: oneOf(decimal, DECIMALS, "decimal"),
    dateFormat: oneOf(dateFormat, DATE_FORMATS, "dateFormat"),
    skipLines: integerOf(skipLines, 0, SKIP_LINES_MAX, "skipLines"),
    skipTexts: listOf(skipTexts, SKIP_TEXTS_MAX, "skipTexts").map((text) => titleOf(text, "skipTexts")),
    columns: {
      day: columnOf(columns["day"], "columns.day"),
      amount: amountColumns(columns),
      text: textColumns(columns["text"]),
      bankId: columns["bankId"] == null ? null : columnOf(columns["bankId"], "columns.bankId"),
    },
  };
}

function amountColumns({ amount, credit, debit }: Json): Mapping["columns"]["amount"] {
  if (amount !== undefined) {
    if (credit !== undefined || debit !== undefined)
      throw new MappingProblem("columns has amount, or credit and debit, not all of them");
    return columnOf(amount, "columns.amount");
  }
  return { credit: columnOf(credit, "columns.credit"), debit: columnOf(debit, "columns.debit") };
}

function textColumns(value: unknown): readonly Column[] {
  const columns = Array.isArray(value) ? value : [value];
  return listOf(columns, TEXT_COLUMNS_MAX, "columns.text").map((column) => columnOf(column, "columns.text"));
}

function columnOf(value: unknown, name: string): Column {
  return typeof value === "number" ? integerOf(value, 1, COLUMN_MAX, name) : titleOf(value, name);
}

function titleOf(value: unknown, name: string): string {
  if (typeof value === "string" && value.trim() !== "" && value.length <= TITLE_MAX) return value.trim();
  throw new MappingProblem(`${name} is not a text of 1 to ${TITLE_MAX} characters`);
}

function integerOf(value: unknown, min: number, max: number, name: string): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new MappingProblem(`${name} is not a number from ${min} to ${max}`);
}

function oneOf<T extends string>(value: unknown, values: readonly T[], name: string): T {
  const found = values.find((one) => one === value);
  if (found === undefined) throw new MappingProblem(`${name} is not one of ${JSON.stringify(values)}`);
  return found;
}

function listOf(value: unknown, max: number, name: string): readonly unknown[] {
  if (Array.isArray(value) && value.length <= max) return value;
  throw new MappingProblem(`${name} is not a list of at most ${max}`);
}

function objectOf(value: unknown, name: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new MappingProblem(`${name} is not an object`);
}

function requireKeys(value: Json, keys: readonly string[], prefix: string): void {
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined)
    throw new MappingProblem(`${prefix}${unknown.slice(0, TITLE_MAX)} is no key of a mapping`);
}
