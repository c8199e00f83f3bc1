import { stringify } from "csv-stringify/sync";
import { decimalText, MINOR_DIGITS, RATE_DIGITS } from "../../../contract/decimal.ts";
import { zonedAt } from "../../../contract/day.ts";
import { CSV_FORMAT, jsonTextCell, textCell } from "./csv-cells.ts";

/** A payment's JSON row. */
export interface Row {
  readonly id: string;
  readonly link_id: string | null;
  readonly status: string;
  readonly reference: string | null;
  readonly created_at: number;
  readonly updated_at: number | null;
  readonly amount: number;
  readonly currency: string;
  readonly gross_amount: number;
  readonly gross_currency: string;
  readonly fee_amount: number;
  readonly fee_currency: string;
  readonly net_amount: number;
  readonly net_currency: string;
  readonly fee_handling: string;
  readonly fx?: {
    readonly rate: number;
    readonly base: string;
    readonly quote: string;
    readonly locked_at: number;
    readonly valid_until: number;
    readonly rate_history_id: number;
  };
  readonly payment_method: string;
  readonly installments: number | null;
  readonly failure_code?: string;
  readonly refunded_amount?: number;
  readonly end_to_end_id?: string;
  /** As JSON. */
  readonly metadata: string;
}

type Cell = string | number | null | undefined;
type Columns = readonly (readonly [name: string, cell: (row: Row) => Cell])[];

const METADATA = ',"metadata":';

/**
 * The columns of format 1: every field of the row, in its order. Amounts are whole numbers of the smallest unit, each
 * followed by the same amount as a decimal. Times are Unix seconds, each followed by the time in São Paulo.
 */
const FIRST_COLUMNS: Columns = [
  ["id", (row) => row.id],
  ["link_id", (row) => row.link_id],
  ["status", (row) => row.status],
  ["reference", (row) => row.reference],
  ["created_at_unix", (row) => row.created_at],
  ["created_at_america_sao_paulo", (row) => time(row.created_at)],
  ["updated_at_unix", (row) => row.updated_at],
  ["updated_at_america_sao_paulo", (row) => time(row.updated_at)],
  ["amount_minor", (row) => row.amount],
  ["amount", (row) => decimal(row.amount)],
  ["currency", (row) => row.currency],
  ["gross_amount_minor", (row) => row.gross_amount],
  ["gross_amount", (row) => decimal(row.gross_amount)],
  ["gross_currency", (row) => row.gross_currency],
  ["fee_amount_minor", (row) => row.fee_amount],
  ["fee_amount", (row) => decimal(row.fee_amount)],
  ["fee_currency", (row) => row.fee_currency],
  ["net_amount_minor", (row) => row.net_amount],
  ["net_amount", (row) => decimal(row.net_amount)],
  ["net_currency", (row) => row.net_currency],
  ["fee_handling", (row) => row.fee_handling],
  ["fx_rate", (row) => row.fx?.rate.toFixed(RATE_DIGITS)],
  ["fx_base", (row) => row.fx?.base],
  ["fx_quote", (row) => row.fx?.quote],
  ["fx_locked_at_unix", (row) => row.fx?.locked_at],
  ["fx_valid_until_unix", (row) => row.fx?.valid_until],
  ["fx_rate_history_id", (row) => row.fx?.rate_history_id],
  ["payment_method", (row) => row.payment_method],
  ["installments", (row) => row.installments],
  ["failure_code", (row) => row.failure_code],
  ["metadata_json", (row) => jsonTextCell(row.metadata)],
];

const SECOND_COLUMNS: Columns = [
  ...FIRST_COLUMNS,
  ["refunded_amount_minor", (row) => row.refunded_amount],
  ["refunded_amount", (row) => decimal(row.refunded_amount)],
];

/**
 * The columns by the format of a seal: a sealed day keeps those of its format for ever, so another column needs another
 * format. New columns are the last ones, so that those of an earlier format stay in their places.
 */
const COLUMNS: readonly Columns[] = [
  FIRST_COLUMNS,
  SECOND_COLUMNS,
  [...SECOND_COLUMNS, ["end_to_end_id", (row) => row.end_to_end_id]],
];

/** The format of rows that are not sealed. */
export const NEWEST_FORMAT = COLUMNS.length;

/** Returns the first line, with a byte order mark by which spreadsheets recognise UTF-8. */
export function csvHeader(formatVersion: number): string {
  return stringify([columnsOf(formatVersion).map(([name]) => name)], { ...CSV_FORMAT, bom: true });
}

/** Returns the CSV lines of rows that are given as JSON. */
export function csvLines(formatVersion: number, rows: readonly string[]): string {
  const columns = columnsOf(formatVersion);
  const cells = rows.map((text) => {
    const row = readRow(text);
    return columns.map(([, cellOf]) => {
      const cell = cellOf(row);
      return typeof cell === "string" ? textCell(cell) : cell;
    });
  });
  return stringify(cells, CSV_FORMAT);
}

/** Returns the columns of a format. Throws Error if this release does not know it. */
function columnsOf(formatVersion: number): Columns {
  const columns = COLUMNS[formatVersion - 1];
  if (!columns) throw new Error(`no format ${formatVersion} of CSV files`);
  return columns;
}

/** Returns a row with its metadata as text. It is the last member, and JSON escapes the quotes within texts. Throws Error on another text. */
export function readRow(text: string): Row {
  const at = text.indexOf(METADATA);
  if (at < 0) throw new Error("a payment's row has no metadata");
  const row = JSON.parse(`${text.slice(0, at)}}`) as Row;
  return { ...row, metadata: text.slice(at + METADATA.length, -1) };
}

function decimal(minor: number | undefined): string | undefined {
  return minor === undefined ? undefined : decimalText(minor, MINOR_DIGITS);
}

function time(seconds: number | null): string | null {
  if (seconds === null) return null;
  return zonedAt(seconds * 1000).toString({ timeZoneName: "never" });
}
