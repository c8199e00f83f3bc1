/** Writes an int64 as a JSON number. Throws when a double does not hold it: such a value is a bug, not data. */
export function writeInteger(value: bigint): string {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError("An int64 does not fit a JSON number");
  return `${number}`;
}

/** Writes an int64 that counts 10^-decimals as a JSON number with exactly that many decimals. */
export function writeDecimal(value: bigint, decimals: number): string {
  const digits = writeInteger(value < 0n ? -value : value).padStart(decimals + 1, "0");
  return `${value < 0n ? "-" : ""}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Writes an array of items that `write` knows how to write. */
export function writeArray<T>(items: readonly T[], write: (item: T) => string): string {
  let text = "[";
  for (let index = 0; index < items.length; index += 1) {
    if (index > 0) text += ",";
    text += write(items[index]!);
  }
  return `${text}]`;
}

/** Writes an enum value as its quoted word. Throws for one without a word: 0 and unknown numbers are bugs. */
export function writeWord(words: readonly (string | undefined)[], value: number): string {
  const word = words[value];
  if (word === undefined) throw new RangeError(`The enum value ${value} has no word`);
  return word;
}
