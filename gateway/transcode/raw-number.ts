declare global {
  interface JSON {
    /** Returns a value that JSON.stringify writes as this text (ECMAScript 2026). */
    rawJSON(text: string): object;
  }
}

/** Returns a JSON number that keeps its digits: 5.400000 stays 5.400000. */
export function rawNumber(text: string): object {
  return JSON.rawJSON(text);
}

/** Returns a value that JSON.stringify writes as this text. Throws SyntaxError unless it is that of a primitive. */
export function rawJson(text: string): object {
  return JSON.rawJSON(text);
}
