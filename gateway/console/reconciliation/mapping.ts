import { html } from "../../pages/html.ts";
import type { Language } from "../../pages/language.ts";
import type { Translate as AnyTranslate } from "../../pages/messages.ts";
import type { Typed } from "../fields/typed.ts";
import type { Field } from "../form/field.ts";
import type { Option } from "../parts/form.ts";
import { FormProblem, type Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import { messagesIn, type MessageKey, type Translate } from "./messages.ts";

/** The ways to write a day that a mapping may name. */
const DATE_FORMATS = [
  "DD/MM/YYYY",
  "DD/MM/YY",
  "DD-MM-YYYY",
  "DD.MM.YYYY",
  "MM/DD/YYYY",
  "YYYY-MM-DD",
  "YYYY/MM/DD",
  "YYYYMMDD",
];
const SEPARATORS: Readonly<Record<string, string | null>> = {
  semicolon: ";",
  comma: ",",
  tab: "\t",
  bar: "|",
  none: null,
};
const DECIMALS: Readonly<Record<string, string>> = { comma: ",", point: "." };
const COLUMN_NUMBER = /^[1-9]\d{0,2}$/;
const NAMES = [
  "column_day",
  "column_amount",
  "column_credit",
  "column_debit",
  "column_text",
  "column_bank_id",
  "separator",
  "decimal",
  "date_format",
  "skip_lines",
  "skip_texts",
] as const;

/** A field of a form that is a part of the mapping. */
export type MappingName = (typeof NAMES)[number];

/** A mapping as the core has it. The core checks it. */
interface Mapping {
  readonly separator?: string | null;
  readonly decimal?: string;
  readonly dateFormat?: string;
  readonly skipLines?: number;
  readonly skipTexts?: readonly string[];
  readonly columns?: Readonly<Record<string, unknown>>;
}

function columnField(label: MessageKey): Field<MessageKey> {
  return { kind: "text", label, fills: null };
}

function choice(
  label: MessageKey,
  options: (t: AnyTranslate<MessageKey>, visit: Visit) => readonly Option[],
): Field<MessageKey> {
  return { kind: "select", label, options, fills: null };
}

/** The fields of a mapping: which columns a file has, and how its days and amounts are written. */
export const MAPPING_FIELDS: Readonly<Record<"mapping" | MappingName, Field<MessageKey>>> = {
  mapping: {
    kind: "own",
    show: (visit) => html`<p class="quiet">${messagesIn(visit.language)("mapping_text")}</p>`,
  },
  column_day: { kind: "text", label: "column_day", help: "column_help", fills: null },
  column_amount: columnField("column_amount"),
  column_credit: columnField("column_credit"),
  column_debit: columnField("column_debit"),
  column_text: { kind: "lines", label: "column_text", help: "column_text_help", fills: null },
  column_bank_id: columnField("column_bank_id"),
  separator: choice("separator", (t) => [
    ["semicolon", t("separator_semicolon")],
    ["comma", t("separator_comma")],
    ["tab", t("separator_tab")],
    ["bar", t("separator_bar")],
    ["none", t("separator_none")],
  ]),
  decimal: choice("decimal", (t) => [
    ["comma", t("decimal_comma")],
    ["point", t("decimal_point")],
  ]),
  date_format: choice("date_format", (_, { language }) =>
    DATE_FORMATS.map((format) => [format, dateFormatText(language, format)]),
  ),
  skip_lines: { kind: "number", label: "skip_lines", fills: null },
  skip_texts: { kind: "lines", label: "skip_texts", help: "skip_texts_help", fills: null },
};

/** Returns the mapping in a form as JSON, or undefined if it names no column: the files are OFX or CNAB 240 then. */
export function mappingOf(typed: Typed): string | undefined {
  if (!isTyped(typed)) return undefined;
  const text = (name: MappingName): string => typed.text(name);
  const amount =
    text("column_amount") === ""
      ? { credit: columnOf(text("column_credit")), debit: columnOf(text("column_debit")) }
      : { amount: columnOf(text("column_amount")) };
  const bankId = text("column_bank_id");
  return JSON.stringify({
    separator: SEPARATORS[text("separator")] ?? null,
    decimal: DECIMALS[text("decimal")] ?? ",",
    dateFormat: text("date_format"),
    skipLines: Number(text("skip_lines")),
    skipTexts: linesOf(typed, "skip_texts"),
    columns: {
      day: columnOf(text("column_day")),
      ...amount,
      text: linesOf(typed, "column_text").map(columnOf),
      ...(bankId === "" ? {} : { bankId: columnOf(bankId) }),
    },
  });
}

/** Returns what a mapping lacks, once it names any column or text. */
export function mappingFaults(typed: Typed, t: Translate): Problems {
  const faults = new Map<string, string>();
  if (!isTyped(typed)) return faults;
  const has = (name: MappingName): boolean => typed.text(name) !== "";
  if (!has("column_day")) faults.set("column_day", t("column_day_missing"));
  if (!has("column_amount") && !(has("column_credit") && has("column_debit")))
    faults.set("column_amount", t("column_amount_missing"));
  if (linesOf(typed, "column_text").length === 0) faults.set("column_text", t("column_text_missing"));
  return faults;
}

/** Returns the fields of a stored mapping, or those of a new one. Throws FormProblem if it is no JSON. */
export function mappingFields(json: string | undefined): Record<MappingName, string> {
  const mapping = json === undefined ? {} : parsed(json);
  const { separator, decimal, dateFormat, skipLines = 0, skipTexts = [], columns = {} } = mapping;
  const of = (name: string): string => textOf(columns[name]);
  return {
    column_day: of("day"),
    column_amount: of("amount"),
    column_credit: of("credit"),
    column_debit: of("debit"),
    column_text: [columns["text"] ?? []].flat().map(textOf).join("\n"),
    column_bank_id: of("bankId"),
    separator: json === undefined ? "semicolon" : wordOf(SEPARATORS, separator ?? null, "none"),
    decimal: wordOf(DECIMALS, decimal, "comma"),
    date_format: dateFormat ?? "DD/MM/YYYY",
    skip_lines: String(skipLines),
    skip_texts: skipTexts.join("\n"),
  };
}

/** Returns a way to write a day in the letters of the language: "ano" is the year in Portuguese. */
function dateFormatText(language: Language, format: string): string {
  return language === "en" ? format : format.replaceAll("Y", "A");
}

function isTyped(typed: Typed): boolean {
  const names = NAMES.filter((name) => name.startsWith("column_") || name === "skip_texts");
  return names.some((name) => typed.text(name) !== "");
}

function columnOf(text: string): string | number {
  return COLUMN_NUMBER.test(text) ? Number(text) : text;
}

function textOf(column: unknown): string {
  return typeof column === "string" || typeof column === "number" ? String(column) : "";
}

function linesOf(typed: Typed, name: MappingName): string[] {
  return typed
    .lines(name)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function wordOf(words: Readonly<Record<string, string | null>>, value: unknown, otherwise: string): string {
  return Object.entries(words).find(([, one]) => one === value)?.[0] ?? otherwise;
}

function parsed(json: string): Mapping {
  try {
    return JSON.parse(json) as Mapping;
  } catch {
    throw new FormProblem("", json);
  }
}
