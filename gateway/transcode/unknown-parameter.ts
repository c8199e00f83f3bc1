import { PublicError } from "./errors.ts";

const DIFFERENCES_MAX = 2;
// Of a short key half is not to differ.
const CHARACTERS_A_DIFFERENCE = 2.5;

/** Returns the error of an unknown key. It names the known key that was probably meant. */
export function unknownParameter(key: string, known: Iterable<string>): PublicError {
  const names = [...known];
  const meant = meantName(key, names);
  const next = names.length === 0 ? "this request takes none here" : "remove it";
  const message =
    meant === undefined ? `Unknown parameter: ${next}.` : `Unknown parameter: did you mean ${meant}?`;
  return new PublicError("unknown_parameter", message, key);
}

/** Returns the nearest name, or undefined if none is near. */
function meantName(key: string, names: readonly string[]): string | undefined {
  const given = plain(key);
  const most = Math.min(DIFFERENCES_MAX, Math.floor(given.length / CHARACTERS_A_DIFFERENCE));
  let nearest: { name: string; differences: number } | undefined;
  for (const name of names) {
    const wanted = plain(name);
    // A key may be as long as a body.
    if (Math.abs(wanted.length - given.length) > most) continue;
    const differences = differencesBetween(given, wanted);
    if (differences <= most && differences < (nearest?.differences ?? Infinity))
      nearest = { name, differences };
  }
  return nearest?.name;
}

/** paymentMethods, Payment-Methods and payment_methods are one. */
function plain(key: string): string {
  return key.toLowerCase().replaceAll(/[_-]/g, "");
}

/** Returns how many characters are to be put in, taken out or replaced to make one text of the other (Levenshtein). */
function differencesBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1];
    for (let index = 0; index < other.length; index++) {
      const replaced = (row[index] ?? 0) + (one[at] === other[index] ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
