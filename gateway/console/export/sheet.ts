import { stringify } from "csv-stringify/sync";
import { timestampMs, type Timestamp } from "@bufbuild/protobuf/wkt";
import { decimalText, MINOR_DIGITS } from "../../../contract/decimal.ts";
import { zonedAt } from "../../../contract/day.ts";
import { hasNet, methodText } from "../parts/show.ts";
import { stateOf, stateText } from "../payments/state.ts";
import type { Guest } from "../visit.ts";
import { CSV_FORMAT, textCell } from "./csv-cells.ts";
import type { DetailedPayment, Lines } from "./lines.ts";
import { messagesIn, type MessageKey } from "./messages.ts";
import { inPieces } from "./pieces.ts";
import { rowPayment } from "./row-payment.ts";
import type { WorkbookRow } from "./workbook-rows.ts";

/** A workbook is whole in memory while it is made. */
export const WORKBOOK_ROWS_MAX = 20_000;

// A spreadsheet's number keeps fifteen digits.
const EXACT_MAX = 999_999_999_999_999n;
const DAY_MS = 86_400_000;
// Of 1 January 1970, in the days by which spreadsheets count.
const EPOCH_DAY = 25_569;
const FIRST_DAY = Temporal.PlainDate.from("1970-01-01");

/** A value as a person reads it: an amount in the smallest unit, a time, a day, a number, or a text. */
type Value = bigint | Timestamp | Temporal.PlainDate | number | string | undefined;

type Columns = readonly (readonly [
  title: MessageKey,
  value: (row: DetailedPayment, guest: Guest) => Value,
])[];

/** The columns, with titles and words in the person's language. New ones are the last: people's sums refer to places. */
const COLUMNS: Columns = [
  ["id", ({ payment }) => payment.id],
  ["created", ({ payment }) => payment.createdAt],
  ["status", ({ payment }, guest) => stateText(guest, stateOf(payment))],
  ["reference", ({ payment }) => payment.reference],
  ["method", ({ payment }, guest) => methodText(guest, payment.paymentMethod)],
  ["installments", ({ payment }) => payment.installments],
  ["gross", ({ payment }) => payment.grossAmount],
  ["gross_currency", ({ payment }) => payment.grossCurrency],
  ["fee", ({ payment }) => (hasNet(payment.status) ? payment.feeAmount : undefined)],
  ["fee_currency", ({ payment }) => (hasNet(payment.status) ? payment.feeCurrency : undefined)],
  ["net", ({ payment }) => (hasNet(payment.status) ? payment.netAmount : undefined)],
  ["net_currency", ({ payment }) => (hasNet(payment.status) ? payment.netCurrency : undefined)],
  ["refunded", ({ payment }) => payment.refundedAmount],
  ["link", ({ payment }) => payment.linkId],
  ["product", ({ details }) => details?.product],
  ["payer", ({ payer }) => payer],
  ["end_to_end_id", ({ payment }) => payment.endToEndId],
  ["paid_at", ({ details }) => details?.paidAt],
  ["settles_on", ({ details }) => details?.settlesOn && Temporal.PlainDate.from(details.settlesOn)],
];

/** The columns of what a sealed row does not have, by the first format of seals with it; Infinity: none has it. */
const SEALED_SINCE: Readonly<Partial<Record<MessageKey, number>>> = {
  refunded: 2,
  end_to_end_id: 3,
  product: Infinity,
  payer: Infinity,
  paid_at: Infinity,
  settles_on: Infinity,
};

/** Returns the lines of a CSV file as Excel in Portuguese opens it: semicolons, and commas in decimals. */
export async function* sheetCsv(
  guest: Guest,
  pages: AsyncGenerator<readonly DetailedPayment[]>,
): AsyncGenerator<string> {
  const format = { ...CSV_FORMAT, delimiter: ";" };
  yield stringify([titles(guest, COLUMNS)], { ...format, bom: true });
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    yield stringify(
      rows.map((row) => COLUMNS.map(([, valueOf]) => csvCell(valueOf(row, guest)))),
      format,
    );
  }
}

function csvCell(value: Value): string | number | undefined {
  if (typeof value === "bigint") return decimalText(value, MINOR_DIGITS).replace(".", ",");
  if (typeof value === "string") return textCell(value);
  if (typeof value !== "object") return value;
  if (value instanceof Temporal.PlainDate) return dateText(value);
  const zoned = zonedAt(timestampMs(value));
  return `${dateText(zoned)} ${[zoned.hour, zoned.minute, zoned.second].map(twoDigits).join(":")}`;
}

function dateText({ day, month, year }: Pick<Temporal.PlainDate, "day" | "month" | "year">): string {
  return [day, month, year].map(twoDigits).join("/");
}

function twoDigits(part: number): string {
  return String(part).padStart(2, "0");
}

/** Returns the rows of a workbook, titles first, whose amounts and times are numbers that can be summed and sorted. */
export async function* sheetRows(
  guest: Guest,
  pages: AsyncGenerator<readonly DetailedPayment[]>,
): AsyncGenerator<WorkbookRow[]> {
  yield [titles(guest, COLUMNS)];
  for await (const rows of pages) yield rows.map((row) => cellsOf(guest, COLUMNS, row));
}

/** As `sheetRows`, of sealed rows: the columns that their seal's format has, and every value as it was sealed. */
export async function* sealedSheetRows(
  guest: Guest,
  formatVersion: number,
  lines: Lines,
): AsyncGenerator<WorkbookRow[]> {
  const columns = COLUMNS.filter(([title]) => (SEALED_SINCE[title] ?? 1) <= formatVersion);
  yield [titles(guest, columns)];
  for await (const some of inPieces(lines)) {
    yield some.map((line) =>
      cellsOf(guest, columns, { payment: rowPayment(line), details: undefined, payer: undefined }),
    );
  }
}

function cellsOf(guest: Guest, columns: Columns, row: DetailedPayment): WorkbookRow {
  return columns.map(([, valueOf]) => sheetCell(valueOf(row, guest)));
}

/** Returns a value as a cell of a workbook. An amount with more digits than a number keeps is a text. */
export function sheetCell(value: Value): WorkbookRow[number] {
  if (typeof value === "bigint") {
    const text = decimalText(value, MINOR_DIGITS);
    return value > EXACT_MAX || value < -EXACT_MAX ? text : { number: Number(text), format: "#,##0.00" };
  }
  if (typeof value !== "object") return value;
  if (value instanceof Temporal.PlainDate) {
    const days = FIRST_DAY.until(value, { largestUnit: "day" }).days;
    return { number: EPOCH_DAY + days, format: "dd/mm/yyyy" };
  }
  const wall = zonedAt(timestampMs(value)).toPlainDateTime().toZonedDateTime("UTC").epochMilliseconds;
  return { number: EPOCH_DAY + wall / DAY_MS, format: "dd/mm/yyyy hh:mm:ss" };
}

function titles({ language }: Guest, columns: Columns): string[] {
  const t = messagesIn(language);
  return columns.map(([title]) => t(title));
}
