// Invisible characters; a reader sees the braille blank as a space.
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;
// The minus sign is no dash by its class.
const MARKS = /[\s./\p{Pd}\u2212]/gu;

/** Returns a typed text without invisible characters, and without spaces around it. */
export function visibleText(text: string): string {
  return text.replaceAll(INVISIBLE, "").trim();
}

/** Returns a typed number without what is not part of it: spaces, dots, slashes, dashes of any kind, invisible characters. */
export function withoutMarks(text: string): string {
  return visibleText(text).replaceAll(MARKS, "");
}
