import { html, type Html } from "../../pages/html.ts";
import type { Translate } from "../../pages/messages.ts";
import type { Guest } from "../visit.ts";

/** A column. Numbers are aligned to the right. */
export interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
  /** Where it is on a phone, if a row has two lines there. */
  readonly pocket?: "first" | "second" | "none";
  /** The address that sorts by it, and how the rows are sorted by it now. */
  readonly sort?: SortLink | undefined;
}

/** The link in the title of a column that sorts by it. */
interface SortLink {
  readonly address: string;
  readonly sorted?: "ascending" | "descending";
}

const ARROWS = {
  ascending: html` <span aria-hidden="true">↑</span>`,
  descending: html` <span aria-hidden="true">↓</span>`,
};

type Cell = Html | string;

export interface TableParts {
  /** The table's name, which is read aloud and labels its scroll region. */
  readonly caption: string;
  readonly columns: readonly Column[];
  /** The first cell names the row. */
  readonly rows: readonly (readonly Cell[])[];
  /** The rows that say nothing, which are on no phone. */
  readonly emptyRows?: ReadonlySet<number>;
  /** Shown instead of an empty table: what to do next. */
  readonly empty: Html;
  /** True: no row is higher than one line. */
  readonly isOfLines?: boolean;
}

/**
 * Returns a table. A wide one scrolls by itself. On a phone each row is a card, whose cells name their columns, or has two
 * lines if columns are left out there.
 */
export function table({ caption, columns, rows, emptyRows, empty, isOfLines = false }: TableParts): Html {
  if (rows.length === 0) return html`<div class="empty">${empty}</div>`;
  const kinds = columns.map(({ isNumber, pocket }) =>
    [isNumber ? "number" : "", pocket ? `pocket-${pocket}` : ""].filter(Boolean).join(" "),
  );
  // A table has a row, in a pocket too.
  const hidden = emptyRows && emptyRows.size < rows.length ? emptyRows : undefined;
  const kind = (index: number): Html | "" => (kinds[index] ? html` class="${kinds[index]}"` : "");
  const isPocket = columns.some(({ pocket }) => pocket !== undefined);
  const tableKind = [isOfLines ? "lines-of-one" : "", isPocket ? "pocket" : ""].filter(Boolean).join(" ");
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
    <table role="table" ${tableKind ? html`class="${tableKind}"` : ""}>
      <caption class="hidden">
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(
            ({ title, sort }, index) =>
              html`<th
                scope="col"
                role="columnheader"
                ${kind(index)}
                ${sort?.sorted ? html` aria-sort="${sort.sorted}"` : ""}
              >
                ${sort ? html`<a href="${sort.address}">${title}${sort.sorted ? ARROWS[sort.sorted] : ""}</a>` : title}
              </th>`,
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (cells, row) =>
            html`<tr role="row" ${hidden?.has(row) ? html`class="pocket-none"` : ""}>
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
  parts: Pick<TableParts, "caption" | "empty" | "isOfLines"> & {
    readonly rows: readonly Row[];
    readonly columns: Columns<NoInfer<Key>, Row>;
    readonly numbers?: readonly NoInfer<Key>[];
    /** The columns of a phone's second line. The first has the first column and the first number. Absent: a row is a card. */
    readonly pocket?: readonly NoInfer<Key>[] | undefined;
    readonly sorts?: ReadonlyMap<string, SortLink>;
  },
): Html {
  const { numbers = [], sorts, pocket } = parts;
  const columns = Object.entries(parts.columns) as [Key, (row: Row) => Cell][];
  const placeOf = (key: Key, index: number): Pick<Column, "pocket"> => {
    if (!pocket) return {};
    if (pocket.includes(key)) return { pocket: "second" };
    return { pocket: index === 0 || key === numbers[0] ? "first" : "none" };
  };
  return table({
    ...parts,
    columns: columns.map(([key], index) => ({
      ...placeOf(key, index),
      title: t(key),
      isNumber: numbers.includes(key),
      sort: sorts?.get(key),
    })),
    rows: parts.rows.map((row) => columns.map(([, cell]) => cell(row))),
  });
}

/** Returns the links from a page of a list to the pages around it, and which rows it shows. */
export function pager(
  guest: Guest,
  {
    next,
    previous,
    rows,
  }: {
    readonly next?: string | undefined;
    readonly previous?: string | undefined;
    readonly rows?: string;
  },
): Html | "" {
  if (next === undefined && previous === undefined && !rows) return "";
  return html`<div class="pager">
    ${rows ? html`<p class="quiet">${rows}</p>` : ""}
    ${previous === undefined ? "" : html`<a class="button" rel="prev" href="${previous}">${guest.t("previous_page")}</a>`}
    ${next === undefined ? "" : html`<a class="button" rel="next" href="${next}">${guest.t("next_page")}</a>`}
  </div>`;
}

/** Returns an address with these parameters. undefined and "" leave one out. */
export function withQuery(path: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => (pair[1] ?? "") !== "");
  const query = new URLSearchParams(given).toString();
  return query === "" ? path : `${path}?${query}`;
}
