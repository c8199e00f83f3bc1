const [QUOTE, BACKSLASH, BRACE, BRACKET, COMMA] = [0x22, 0x5c, 0x7b, 0x5b, 0x2c];

/** Counts the values and members of a JSON text that comes in parts, without parsing it. */
export class JsonCounter {
  #count = 0;
  #isText = false;
  #isEscaped = false;

  /** Counts one more part. Returns the count so far. Counting ends a little above `enough`. */
  add(bytes: Uint8Array, enough: number): number {
    let [count, isText, isEscaped] = [this.#count, this.#isText, this.#isEscaped];
    for (let index = 0; index < bytes.length && count <= enough; index++) {
      const byte = bytes[index];
      if (isEscaped) isEscaped = false;
      else if (byte === QUOTE) isText = !isText;
      else if (isText) isEscaped = byte === BACKSLASH;
      else if (byte === COMMA || byte === BRACE || byte === BRACKET) count++;
    }
    [this.#count, this.#isText, this.#isEscaped] = [count, isText, isEscaped];
    return count;
  }
}
