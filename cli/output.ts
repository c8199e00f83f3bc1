import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import type { Command } from "commander";

export type Row = Readonly<Record<string, Cell>>;
type Cell = string | number | readonly string[] | null;
/** The fields of one thing, and the tables that belong to it. */
export type Sheet = Readonly<Record<string, Cell | readonly Row[]>>;

/** Prints one JSON document with --json, else a table. */
export function print(command: Command, value: Sheet | readonly Row[]): void {
  const { json } = command.optsWithGlobals<{ json?: boolean }>();
  process.stdout.write(json ? `${jsonText(JSON.stringify(value))}\n` : forEyes(value));
}

function forEyes(value: Sheet | readonly Row[]): string {
  if (isTable(value)) return value.length === 0 ? "Nothing yet.\n" : tableText(value);
  const entries = Object.entries(value);
  const width = Math.max(...entries.map(([key]) => key.length));
  const lines = entries.map(([key, item]) =>
    isTable(item) && item.length > 0
      ? `\n${key}\n${tableText(item)}`
      : `${key.padEnd(width)}  ${cell(isTable(item) ? null : item)}\n`,
  );
  return lines.join("");
}

function tableText(rows: readonly Row[]): string {
  const keys = Object.keys(rows[0] ?? {});
  const cells = [keys, ...rows.map((row) => keys.map((key) => cell(row[key] ?? null)))];
  const widths = keys.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]): string =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return `${cells.map(line).join("\n")}\n`;
}

function isTable(value: Cell | Sheet | readonly Row[]): value is readonly Row[] {
  return Array.isArray(value) && value.every((item) => typeof item === "object");
}

function cell(value: Cell): string {
  if (value === null) return "-";
  return plain(Array.isArray(value) ? value.join(",") : String(value));
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

/** Returns a time for a table cell. */
export function timeText(stamp: Timestamp | undefined): string | null {
  return stamp ? timestampDate(stamp).toISOString() : null;
}
