import { html, type Html } from "../../pages/html.ts";
import type { Translate } from "../../pages/messages.ts";
import { choiceField, hiddenFields } from "../parts/form.ts";
import type { Columns } from "../parts/table.ts";
import { NO_PROBLEMS } from "../problems.ts";
import type { Visit } from "../visit.ts";

/** The columns by which a list can be sorted, with the words of its core's orders: the usual one first. */
export type Sorts<Key extends string> = {
  readonly [Title in Key]?: readonly [first: string, second: string];
};

/** Returns the order in the address, or "" if the list has no such order. */
export function orderOf<Key extends string>({ query }: Visit, sorts: Sorts<Key>): string {
  const words = (Object.values(sorts) as (readonly string[])[]).flat();
  const asked = query["order"] ?? "";
  return words.includes(asked) ? asked : "";
}

/** Returns the columns in the address, or "" if it names none: all are shown then. */
export function columnsAsked({ query, request }: Visit): string {
  const { cols } = request.query as { readonly cols?: string | readonly string[] };
  return Array.isArray(cols) ? cols.join(",") : (query["cols"] ?? "");
}

/** Returns the chosen columns. The first, which names the row, is always shown. */
export function chosenColumns<Key extends string, Row>(
  columns: Columns<Key, Row>,
  asked: string,
): Columns<Key, Row> {
  if (asked === "") return columns;
  const names = new Set(asked.split(","));
  const shown = Object.entries(columns).filter(([name], index) => index === 0 || names.has(name));
  return Object.fromEntries(shown) as Columns<Key, Row>;
}

/** Returns the links in the titles of columns that sort by them, by the columns' names. */
export function sortLinks<Key extends string>(
  visit: Visit,
  sorts: Sorts<Key>,
  address: (changes: Readonly<Record<string, string | undefined>>) => string,
): ReadonlyMap<string, { readonly address: string; readonly sorted?: "ascending" | "descending" }> {
  const asked = orderOf(visit, sorts);
  const links = Object.entries(sorts) as [string, readonly [string, string]][];
  const [usual] = links[0]?.[1] ?? [""];
  const present = asked === "" ? usual : asked;
  return new Map(
    links.map(([name, [first, second]]) => {
      const isSorted = present === first || present === second;
      const link = { address: address({ order: present === first ? second : first }) };
      const direction = present.endsWith("_asc") ? "ascending" : "descending";
      return [name, isSorted ? { ...link, sorted: direction } : link];
    }),
  );
}

/** Returns the folded form that chooses the columns. */
export function columnForm<Key extends string, Row>(
  visit: Visit,
  t: Translate<Key>,
  columns: Columns<Key, Row>,
  path: string,
  kept: Readonly<Record<string, string>>,
): Html {
  const asked = columnsAsked(visit);
  const names = (Object.keys(columns) as Key[]).slice(1);
  return html`<details class="fold">
    <summary>${visit.t("columns")}</summary>
    <form method="get" action="${visit.path(path)}">
      ${hiddenFields(kept)}
      ${choiceField({
        kind: "checkbox",
        name: "cols",
        label: visit.t("columns_shown"),
        options: names.map((name) => [name, t(name)]),
        chosen: asked === "" ? names : asked.split(","),
        problems: NO_PROBLEMS,
      })}
      <button>${visit.t("show")}</button>
    </form>
  </details>`;
}
