import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";
import type { Command } from "commander";

export type Row = Readonly<Record<string, string | number | readonly string[] | null>>;

/** Prints one JSON document with --json, else something made for eyes. */
export function print(command: Command, value: Row | readonly Row[]): void {
  const { json } = command.optsWithGlobals<{ json?: boolean }>();
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : forEyes(value));
}

function forEyes(value: Row | readonly Row[]): string {
  if (!isList(value)) {
    const width = Math.max(...Object.keys(value).map((key) => key.length));
    const lines = Object.entries(value).map(([key, item]) => `${key.padEnd(width)}  ${cell(item)}\n`);
    return lines.join("");
  }
  const [first] = value;
  if (!first) return "Nothing yet.\n";
  const keys = Object.keys(first);
  const rows = [keys, ...value.map((row) => keys.map((key) => cell(row[key] ?? null)))];
  const widths = keys.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]): string =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return `${rows.map(line).join("\n")}\n`;
}

function isList(value: Row | readonly Row[]): value is readonly Row[] {
  return Array.isArray(value);
}

function cell(value: Row[string]): string {
  if (value === null || value === undefined) return "-";
  return plain(Array.isArray(value) ? value.join(",") : String(value));
}

/** A text without control characters: a terminal would obey what somebody else wrote. */
export function plain(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A time for a cell. */
export function timeText(stamp: Timestamp | undefined): string | null {
  return stamp ? timestampDate(stamp).toISOString() : null;
}

/** What went wrong, in one line for stderr. */
export function failureText(error: unknown): string {
  if (!(error instanceof ConnectError)) return error instanceof Error ? error.message : String(error);
  const [info] = error.findDetails(ErrorInfoSchema);
  if (info) return `${error.rawMessage} (${info.reason})`;
  return `${error.rawMessage} (is the core running, and the token its own?)`;
}
