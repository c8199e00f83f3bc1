import type { Html } from "../../pages/html.ts";
import type { Translate } from "../../pages/messages.ts";
import { table } from "../parts/table.ts";

/** A row's cells by the message keys of their columns' titles, in the order of the columns. */
export type Columns<Key extends string, Row> = { readonly [Title in Key]?: (row: Row) => Html | string };

/** Returns a table of rows of one kind. The first cell names the row. */
export function rowTable<Key extends string, Row>(
  t: Translate<Key>,
  parts: {
    readonly caption: string;
    readonly columns: Columns<Key, Row>;
    readonly numbers?: readonly Key[];
    readonly rows: readonly Row[];
    readonly empty: Html;
  },
): Html {
  const { caption, numbers = [], rows, empty } = parts;
  const columns = Object.entries(parts.columns) as [Key, (row: Row) => Html | string][];
  return table({
    caption,
    columns: columns.map(([key]) => ({ title: t(key), isNumber: numbers.includes(key) })),
    rows: rows.map((row) => columns.map(([, cell]) => cell(row))),
    empty,
  });
}
