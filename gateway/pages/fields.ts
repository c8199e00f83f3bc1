import { parse } from "node:querystring";

/** The most fields of a form or of a page's address. No page of ours has as many. */
const FIELDS_MAX = 200;

/**
 * Returns the fields of an urlencoded text; none if there are more than 200. Anyone may send such texts, and a field takes
 * as much time as many characters: 64 KiB of them some 10 ms.
 */
export function fieldsIn(text: string): Record<string, unknown> {
  let count = 1;
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", at + 1)) {
    if (++count > FIELDS_MAX) return {};
  }
  // For each plus in a text the parser would make a new one.
  return parse(text.replaceAll("+", " "), "&", "=", { maxKeys: 0 });
}
