import { stringify } from "csv-stringify/sync";
import { timestampMs, type Timestamp } from "@bufbuild/protobuf/wkt";
import { decimalText, MINOR_DIGITS } from "../../../contract/decimal.ts";
import { zonedAt } from "../../../contract/day.ts";
import type { Payment } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { hasNet, methodText, statusText } from "../parts/show.ts";
import type { Guest } from "../visit.ts";
import { CSV_FORMAT, textCell } from "./csv-cells.ts";
import { messagesIn, type MessageKey } from "./messages.ts";
import type { WorkbookRow } from "./workbook-rows.ts";

/** A workbook is whole in memory while it is made. */
export const WORKBOOK_ROWS_MAX = 20_000;

// A spreadsheet's number keeps fifteen digits.
const EXACT_MAX = 999_999_999_999_999n;
const DAY_MS = 86_400_000;
// Of 1 January 1970, in the days by which spreadsheets count.
const EPOCH_DAY = 25_569;

/** A value as a person reads it: an amount in the smallest unit, a time, a number, or a text. */
type Value = bigint | Timestamp | number | string | undefined;

/** The columns, with titles and words in the person's language. */
const COLUMNS: readonly (readonly [title: MessageKey, value: (payment: Payment, guest: Guest) => Value])[] = [
  ["id", ({ id }) => id],
  ["created", ({ createdAt }) => createdAt],
  ["status", ({ status }, guest) => statusText(guest, status)],
  ["reference", ({ reference }) => reference],
  ["method", ({ paymentMethod }, guest) => methodText(guest, paymentMethod)],
  ["installments", ({ installments }) => installments],
  ["gross", ({ grossAmount }) => grossAmount],
  ["gross_currency", ({ grossCurrency }) => grossCurrency],
  ["fee", ({ status, feeAmount }) => (hasNet(status) ? feeAmount : undefined)],
  ["fee_currency", ({ status, feeCurrency }) => (hasNet(status) ? feeCurrency : undefined)],
  ["net", ({ status, netAmount }) => (hasNet(status) ? netAmount : undefined)],
  ["net_currency", ({ status, netCurrency }) => (hasNet(status) ? netCurrency : undefined)],
  ["refunded", ({ refundedAmount }) => refundedAmount],
  ["link", ({ linkId }) => linkId],
];

/** Returns the lines of a CSV file as Excel in Portuguese opens it: semicolons, and commas in decimals. */
export async function* sheetCsv(
  guest: Guest,
  pages: AsyncGenerator<readonly Payment[]>,
): AsyncGenerator<string> {
  const format = { ...CSV_FORMAT, delimiter: ";" };
  yield stringify([titles(guest)], { ...format, bom: true });
  for await (const payments of pages) {
    if (payments.length === 0) continue;
    yield stringify(
      payments.map((payment) => COLUMNS.map(([, valueOf]) => csvCell(valueOf(payment, guest)))),
      format,
    );
  }
}

function csvCell(value: Value): string | number | undefined {
  if (typeof value === "bigint") return decimalText(value, MINOR_DIGITS).replace(".", ",");
  if (typeof value === "string") return textCell(value);
  if (typeof value !== "object") return value;
  const { year, month, day, hour, minute, second } = zonedAt(timestampMs(value));
  const [date, time] = [
    [day, month, year],
    [hour, minute, second],
  ].map((parts) => parts.map((part) => String(part).padStart(2, "0")));
  return `${date?.join("/")} ${time?.join(":")}`;
}

/** Returns the rows of a workbook, titles first, whose amounts and times are numbers that can be summed and sorted. */
export async function* sheetRows(
  guest: Guest,
  pages: AsyncGenerator<readonly Payment[]>,
): AsyncGenerator<WorkbookRow[]> {
  yield [titles(guest)];
  for await (const payments of pages)
    yield payments.map((payment) => COLUMNS.map(([, valueOf]) => sheetCell(valueOf(payment, guest))));
}

/** Returns a value as a cell of a workbook. An amount with more digits than a number keeps is a text. */
export function sheetCell(value: Value): WorkbookRow[number] {
  if (typeof value === "bigint") {
    const text = decimalText(value, MINOR_DIGITS);
    return value > EXACT_MAX || value < -EXACT_MAX ? text : { number: Number(text), format: "#,##0.00" };
  }
  if (typeof value !== "object") return value;
  const wall = zonedAt(timestampMs(value)).toPlainDateTime().toZonedDateTime("UTC").epochMilliseconds;
  return { number: EPOCH_DAY + wall / DAY_MS, format: "dd/mm/yyyy hh:mm:ss" };
}

function titles({ language }: Guest): string[] {
  const t = messagesIn(language);
  return COLUMNS.map(([title]) => t(title));
}
