import { withQuery } from "../parts/table.ts";
import type { Visit } from "../visit.ts";

/** A page's place in a list, as its address has it. */
interface Place {
  /** The cursor of the page; "": the first one. */
  readonly after: string;
  /** The number of rows before the page. */
  readonly row: number;
  /** The pages before, "row.cursor", the first one first. */
  readonly back: readonly string[];
}

/** The parameters of the address that are a place. */
export type PlaceParameters = Readonly<Record<"after" | "row" | "back", string | undefined>>;

const FIRST: PlaceParameters = { after: undefined, row: undefined, back: undefined };
// Addresses have some 2,000 characters. Before these pages, "previous" is the first one.
const BACK_MAX = 30;

export function placeOf({ query }: Visit): Place {
  const row = query["row"] ?? "";
  return {
    after: query["after"] ?? "",
    row: /^\d{1,9}$/.test(row) ? Number(row) : 0,
    back: (query["back"] ?? "").split("~").filter((page) => page !== ""),
  };
}

/** Returns the place of the next page. */
export function nextPlace({ after, row, back }: Place, next: string, rowCount: number): PlaceParameters {
  const pages = after === "" ? back : [...back, `${row}.${after}`];
  return { after: next, row: String(row + rowCount), back: pages.slice(-BACK_MAX).join("~") };
}

/** Returns the place of the page before, or undefined on the first page. */
export function previousPlace({ after, back }: Place): PlaceParameters | undefined {
  if (after === "") return undefined;
  const last = back.at(-1);
  if (last === undefined) return FIRST;
  const at = last.indexOf(".");
  return { after: last.slice(at + 1), row: last.slice(0, at), back: back.slice(0, -1).join("~") };
}

/** Returns the links from a page of rows at `address` to the one before and, after the cursor `next`, to the next. */
export function pageTurns(
  visit: Visit,
  address: string,
  next: string | undefined,
  rowCount: number,
): { readonly next: string | undefined; readonly previous: string | undefined } {
  const place = placeOf(visit);
  const previous = previousPlace(place);
  return {
    next: next === undefined ? undefined : withQuery(address, nextPlace(place, next, rowCount)),
    previous: previous && withQuery(address, previous),
  };
}
