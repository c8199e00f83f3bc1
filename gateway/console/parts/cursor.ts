/** The cursor of a list, as an address has it; undefined, the first page, when it is none. */
export function cursorOf(text: unknown, prefix: string): string | undefined {
  if (typeof text !== "string" || !text.startsWith(`${prefix}_`)) return undefined;
  return /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length + 1)) ? text : undefined;
}
