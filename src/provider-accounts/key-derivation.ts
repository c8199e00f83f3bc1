import { BerReader, BYTES, INTEGER, TooManySteps } from "./ber.ts";

/**
 * Maximum work of all derivations of a file together, in rounds. OpenSSL's files have 6,144 of them, or 131,072 with
 * scrypt, those of Windows some 6,000, of Java's keytool 30,000, and of Bouncy Castle 204,800.
 */
export const ROUNDS_MAX = 250_000;

// A derivation of few rounds takes time too.
const ROUNDS_MIN = 1000;
// Two rounds of SHA-1 make 40 bytes of a key, and no cipher takes more than 32.
const KEY_BYTES = 32;
const STEPS_MAX = 20_000;
const DEPTH_MAX = 32;

/**
 * Returns true if a key or a PKCS#12 file asks for a bounded amount of work to derive its keys from a passphrase. In all
 * forms (RFC 7292, 7914 and 8018) the amount is in the integers after the salt. OpenSSL reads BER, and what precedes
 * garbage: so does this. What is itself encrypted is not seen: the opening of a file is bounded as well.
 */
export function isQuickToOpen(ber: Buffer): boolean {
  const reader = new BerReader({ stepsMax: STEPS_MAX, depthMax: DEPTH_MAX });
  try {
    return roundsIn(ber, reader, 0) <= ROUNDS_MAX;
  } catch (error) {
    if (error instanceof TooManySteps) return false;
    throw error;
  }
}

function roundsIn(ber: Buffer, reader: BerReader, depth: number): number {
  let rounds = 0;
  let numbers: number[] | undefined;
  for (const { type, isConstructed, content } of reader.valuesIn(ber, depth)) {
    if (type === INTEGER) {
      numbers?.push(numberIn(content));
      continue;
    }
    rounds += workOf(numbers);
    numbers = type === BYTES ? [] : undefined;
    if (!isConstructed && type !== BYTES) continue;
    // The bytes of a constructed string are those of its parts.
    const inner = isConstructed && type === BYTES ? reader.joined(content, depth + 1) : content;
    rounds += roundsIn(inner, reader, depth + 1);
    if (rounds > ROUNDS_MAX) return Infinity;
  }
  return rounds + workOf(numbers);
}

/** Returns the rounds that the integers after a salt ask for: scrypt has three or more, all others two at most. */
function workOf(numbers: readonly number[] = []): number {
  const [first, second, third] = numbers;
  if (first === undefined) return 0;
  const work =
    second !== undefined && third !== undefined
      ? first * second * third
      : first * Math.max(1, Math.ceil((second ?? 0) / KEY_BYTES));
  return Math.max(ROUNDS_MIN, work);
}

/** Returns an integer's value; Infinity if it is long or negative. */
function numberIn(content: Buffer): number {
  const value = content.length === 0 || content.length > 6 ? -1 : content.readIntBE(0, content.length);
  return value < 0 ? Infinity : value;
}
