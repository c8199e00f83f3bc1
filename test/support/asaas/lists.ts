import type { Fields } from "../provider/json.ts";
import { invalid } from "./problem.ts";

const LIMIT = 10;
const LIMIT_MAX = 100;

/** Returns one page of a list. Throws Problem if the paging asks for what there is not. */
export function listBody<Row>(
  rows: readonly Row[],
  query: URLSearchParams,
  body: (row: Row) => Fields,
): Fields {
  const limit = whole(query, "limit", LIMIT);
  const offset = whole(query, "offset", 0);
  if (limit < 1 || limit > LIMIT_MAX) throw invalid("limit", "O limite vai de 1 a 100.");
  const data = rows.slice(offset, offset + limit);
  return {
    object: "list",
    hasMore: offset + data.length < rows.length,
    totalCount: rows.length,
    limit,
    offset,
    data: data.map((row) => body(row)),
  };
}

function whole(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  if (!/^\d{1,9}$/.test(text)) throw invalid(name, `O campo ${name} não é um número.`);
  return Number(text);
}

/** True if a day lies between `name[ge]` and `name[le]`, where they are given. */
export function isWithin(query: URLSearchParams, name: string, day: string | null): boolean {
  const [from, to] = [query.get(`${name}[ge]`), query.get(`${name}[le]`)];
  return (from === null || (day !== null && day >= from)) && (to === null || (day !== null && day <= to));
}
