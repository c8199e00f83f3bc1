import { isMessage } from "@bufbuild/protobuf";
import { timestampMs, TimestampSchema, type Timestamp } from "@bufbuild/protobuf/wkt";
import { decimalText, MINOR_DIGITS } from "../../../contract/decimal.ts";
import { zonedAt } from "../../../contract/day.ts";
import type { Language } from "../../pages/language.ts";
import { textCell } from "../export/csv-cells.ts";
import { sheetCell } from "../export/sheet.ts";
import type { WorkbookRow } from "../export/workbook-rows.ts";

/** A code for programs, and its word for people. */
export interface Word {
  readonly code: string;
  readonly text: (language: Language) => string;
}

/** A value of a table: an amount in centavos, a time, a number, a text, or a word. */
export type Value = bigint | Timestamp | number | string | Word | undefined;

/** Returns a cell of a CSV file: an amount as a decimal, a time as that of São Paulo, a word as its code. */
export function csvCell(value: Value): string | number | undefined {
  if (typeof value === "bigint") return decimalText(value, MINOR_DIGITS);
  if (typeof value === "string") return textCell(value);
  if (typeof value !== "object") return value;
  if (!isMessage(value, TimestampSchema)) return value.code;
  return zonedAt(timestampMs(value)).toString({ timeZoneName: "never" });
}

/** Returns a cell of a workbook: amounts and times are numbers, a word is in the language. */
export function workbookCell(value: Value, language: Language): WorkbookRow[number] {
  const isWord = typeof value === "object" && !isMessage(value, TimestampSchema);
  return isWord ? value.text(language) : sheetCell(value);
}
