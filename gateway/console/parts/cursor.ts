/** Returns the cursor of a list from an address, or undefined (the first page) if the text is no cursor. */
export function cursorOf(text: unknown, prefix: string): string | undefined {
  if (typeof text !== "string" || !text.startsWith(`${prefix}_`)) return undefined;
  return /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length + 1)) ? text : undefined;
}
