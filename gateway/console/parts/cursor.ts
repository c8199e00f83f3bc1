import { isId, type IdPrefix } from "../../../contract/ids.ts";
/** Returns the cursor of a list from an address, or undefined (the first page) if the text is no cursor. */
export function cursorOf(text: unknown, prefix: IdPrefix): string | undefined {
  return typeof text === "string" && isId(prefix, text) ? text : undefined;
}
