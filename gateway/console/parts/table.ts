import { html, type Html } from "../../pages/html.ts";
import type { Translate } from "../../pages/messages.ts";
import type { Guest } from "../visit.ts";

/** A column. Numbers are aligned to the right. */
export interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
}

type Cell = Html | string;

export interface TableParts {
  /** The table's name, which is read aloud and labels its scroll region. */
  readonly caption: string;
  readonly columns: readonly Column[];
  /** The first cell names the row. */
  readonly rows: readonly (readonly Cell[])[];
  /** Shown instead of an empty table: what to do next. */
  readonly empty: Html;
}

/** Returns a table. A wide one scrolls by itself. On a phone each row is a card, and its cells name their columns. */
export function table({ caption, columns, rows, empty }: TableParts): Html {
  if (rows.length === 0) return html`<div class="empty">${empty}</div>`;
  const kind = (index: number): Html | "" => (columns[index]?.isNumber ? html` class="number"` : "");
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
    <table role="table">
      <caption class="hidden">
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(({ title }, index) => html`<th scope="col" role="columnheader" ${kind(index)}>${title}</th>`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (cells) =>
            html`<tr role="row">
              ${cells.map((cell, index) => (index === 0 ? html`<th scope="row" role="rowheader" ${kind(index)}>${cell}</th>` : html`<td role="cell" data-label="${columns[index]?.title ?? ""}" ${kind(index)}>${cell}</td>`))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A row's cells by the message keys of their columns' titles, in the order of the columns. */
export type Columns<Key extends string, Row> = { readonly [Title in Key]?: (row: Row) => Cell };

/** Returns a table of rows of one kind. The columns in `numbers` are aligned to the right. */
export function rowTable<Key extends string, Row>(
  t: Translate<Key>,
  parts: Pick<TableParts, "caption" | "empty"> & {
    readonly rows: readonly Row[];
    readonly columns: Columns<NoInfer<Key>, Row>;
    readonly numbers?: readonly NoInfer<Key>[];
  },
): Html {
  const { numbers = [] } = parts;
  const columns = Object.entries(parts.columns) as [Key, (row: Row) => Cell][];
  return table({
    ...parts,
    columns: columns.map(([key]) => ({ title: t(key), isNumber: numbers.includes(key) })),
    rows: parts.rows.map((row) => columns.map(([, cell]) => cell(row))),
  });
}

/** Returns the links to the next page of a list and back to the first. */
export function pager(
  guest: Guest,
  { next, first }: { readonly next?: string | undefined; readonly first?: string | undefined },
): Html | "" {
  if (next === undefined && first === undefined) return "";
  return html`<p class="pager">
    ${first === undefined ? "" : html`<a href="${first}">${guest.t("first_page")}</a>`}
    ${next === undefined ? "" : html`<a class="button" rel="next" href="${next}">${guest.t("next_page")}</a>`}
  </p>`;
}

/** Returns an address with these parameters. undefined and "" leave one out. */
export function withQuery(path: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => (pair[1] ?? "") !== "");
  const query = new URLSearchParams(given).toString();
  return query === "" ? path : `${path}?${query}`;
}
