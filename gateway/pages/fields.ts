import { parse } from "node:querystring";

/**
 * Returns the fields of an urlencoded text; none if there are more than `fieldsMax`. Anyone may send such texts, and a field
 * takes as much time as many characters: 64 KiB of them some 10 ms.
 */
export function fieldsIn(text: string, fieldsMax: number): Record<string, unknown> {
  let count = 1;
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", at + 1)) {
    if (++count > fieldsMax) return {};
  }
  return parse(text, "&", "=", { maxKeys: 0 });
}
