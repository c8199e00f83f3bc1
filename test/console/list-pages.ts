import type { ConsoleClient } from "../support/console.ts";

const ROW = /<th scope="row"[^>]*>(.*?)<\/th>(.*?)<\/tr>/gs;
const TAGS = /<[^>]+>|\s+/g;

/** A page of a list, as it is read by a program. */
export interface ListedPage {
  readonly body: string;
  /** What "Linhas 1 a 20 de 45" says, or "". */
  readonly numbers: string;
  /** The cells of each row, with the values of their checkboxes. */
  readonly rows: readonly string[];
}

export async function listedPage(by: ConsoleClient, address: string): Promise<ListedPage> {
  const { body } = await by.get(address);
  return {
    body,
    numbers: /Linhas [\d.]+ a [\d.]+ de [\d.]+\+?/.exec(body)?.[0] ?? "",
    rows: [...body.matchAll(ROW)].map(([row]) => row),
  };
}

/** The address of the link to the page before or the next one, or "" if there is none. */
export function pageLink({ body }: ListedPage, rel: "next" | "prev"): string {
  return (new RegExp(`rel="${rel}" href="([^"]+)"`).exec(body)?.[1] ?? "").replaceAll("&amp;", "&");
}

/** All pages from this one on. */
export async function allPages(by: ConsoleClient, address: string): Promise<ListedPage[]> {
  const pages: ListedPage[] = [];
  for (let next = address; next !== "";) {
    const page = await listedPage(by, next);
    pages.push(page);
    next = pageLink(page, "next");
  }
  return pages;
}

/** The first match of a pattern in each row, without its tags. */
export function inRows(pages: readonly ListedPage[], pattern: RegExp): string[] {
  return pages.flatMap(({ rows }) =>
    rows.map((row) => (pattern.exec(row)?.[1] ?? "").replaceAll(TAGS, " ").trim()),
  );
}
