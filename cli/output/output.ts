import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import type { Command } from "commander";
import { heading, toned } from "./colours.ts";
import { blockText, tableText, type Look, type TableCell } from "./table.ts";

export type Row = Readonly<Record<string, Cell>>;
type Cell = string | number | Date | readonly string[] | null;
/** The fields of one thing, and the tables that belong to it. */
export type Sheet = Readonly<Record<string, Cell | readonly Row[]>>;

/** The columns whose words have colours. */
const TONED = new Set(["outcome", "result", "status", "type"]);
const ID = /^[a-z]+_[0-9a-z]{26}$/;

const LOOK: Look = {
  heading,
  cell: (text, column, value) => (TONED.has(column) ? toned(text, value) : text),
};

/** Prints one JSON document with --json, else a table that fits the terminal. Times are UTC in JSON, else local. */
export function print(command: Command, value: Sheet | readonly Row[]): void {
  const { json } = command.optsWithGlobals<{ json?: boolean }>();
  process.stdout.write(json ? `${jsonText(JSON.stringify(value))}\n` : forEyes(value));
}

function forEyes(value: Sheet | readonly Row[]): string {
  if (isTable(value)) return value.length === 0 ? "Nothing yet.\n" : tableOf(value);
  const entries = Object.entries(value);
  const isPart = (item: Cell | readonly Row[]): item is readonly Row[] => isTable(item) && item.length > 0;
  const facts = entries.filter(([, item]) => !isPart(item));
  const tables = entries.flatMap(([key, item]) => (isPart(item) ? [`\n${key}\n${tableOf(item)}`] : []));
  const cells = facts.map(([, item]) => cellOf(isTable(item) ? null : item));
  return [
    blockText(
      facts.map(([key]) => key),
      cells,
      LOOK,
    ),
    ...tables,
  ].join("");
}

function tableOf(rows: readonly Row[]): string {
  const keys = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => keys.map((key) => cellOf(row[key] ?? null)));
  // A file or a pipe takes lines of any length.
  return tableText(keys, cells, process.stdout.columns || Infinity, LOOK);
}

function isTable(value: Cell | Sheet | readonly Row[]): value is readonly Row[] {
  return Array.isArray(value) && value.every((item) => typeof item === "object");
}

function cellOf(value: Cell): TableCell {
  if (value === null) return { text: "-", isWhole: true };
  if (value instanceof Date) return { text: localTime(value), isWhole: true };
  if (typeof value === "number") return { text: String(value), isWhole: true };
  const text = plain(typeof value === "string" ? value : value.join(","));
  return { text, isWhole: ID.test(text) };
}

/** Returns a text with its control characters escaped, bidirectional ones included: a terminal would obey them. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, escapeCharacter);
}

/**
 * Returns a JSON document that is safe for a terminal. Control characters are only in its strings, and are escaped
 * there.
 */
export function jsonText(json: string): string {
  return json.replaceAll(/[\u007f-\u009f\p{Bidi_Control}]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Returns a time for a cell. */
export function timeCell(stamp: Timestamp | undefined): Date | null {
  return stamp ? timestampDate(stamp) : null;
}

/** Returns a time by the clock on the wall here (TZ), as "2026-01-31 09:30:00". Options that take a time read it. */
export function localTime(date: Date): string {
  const zoned = Temporal.Instant.fromEpochMilliseconds(date.getTime()).toZonedDateTimeISO(
    Temporal.Now.timeZoneId(),
  );
  return zoned.toPlainDateTime().toString({ smallestUnit: "second" }).replace("T", " ");
}
