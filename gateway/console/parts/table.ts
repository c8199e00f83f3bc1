import { html } from "hono/html";
import type { Html } from "../../pages/html.ts";
import type { Guest } from "../visit.ts";

/** A column: numbers line up at the right. */
export interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
}

type Cell = Html | string;

export interface TableParts {
  /** What the table is of; read aloud, and the name of the region that it scrolls in. */
  readonly caption: string;
  readonly columns: readonly Column[];
  /** The first cell of a row names it. */
  readonly rows: readonly (readonly Cell[])[];
  /** What stands there instead when there is no row: what to do next. */
  readonly empty: Html;
}

/** A table that scrolls by itself where it is too wide; on a phone each row is a card, its cells with their columns' names. */
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

/** The way on through a list, and back to where it begins. */
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

/** An address with other parameters than those it was asked with: undefined and "" leave one out. */
export function withQuery(path: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => (pair[1] ?? "") !== "");
  const query = new URLSearchParams(given).toString();
  return query === "" ? path : `${path}?${query}`;
}
