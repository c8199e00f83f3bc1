declare global {
  interface JSON {
    /** A value that JSON.stringify writes as the text it was made of (ECMAScript 2026). */
    rawJSON(text: string): object;
  }
}

/** A JSON number that keeps its digits: 5.400000 stays so. */
export function rawNumber(text: string): object {
  return JSON.rawJSON(text);
}
