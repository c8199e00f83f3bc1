const TAG = { integer: 0x02, bytes: 0x04, constructed: 0x20 };
const WORK_MAX = 200_000;
// Block size and parallelism of scrypt, length of a key, version.
const PARAMETER_MAX = 64;
const DEPTH_MAX = 32;

/** One value of DER. */
interface Value {
  readonly tag: number;
  readonly content: Buffer;
}

/**
 * Returns true if a key or a PKCS#12 file in DER asks for a bounded amount of work to derive its key from a passphrase.
 * Node does that work on the event loop. In all its forms (RFC 7292, 7914 and 8018) the amount is the integer after
 * the salt.
 */
export function isQuickToOpen(der: Buffer, depth = 0): boolean {
  if (depth > DEPTH_MAX) return false;
  const values = valuesIn(der);
  let follows = false;
  let isFirst = true;
  for (const { tag, content } of values ?? []) {
    if (tag === TAG.integer && follows) {
      if (numberIn(content) > (isFirst ? WORK_MAX : PARAMETER_MAX)) return false;
      isFirst = false;
      continue;
    }
    follows = tag === TAG.bytes;
    isFirst = true;
    const isNested = (tag & TAG.constructed) !== 0 || (tag === TAG.bytes && valuesIn(content) !== undefined);
    if (isNested && !isQuickToOpen(content, depth + 1)) return false;
  }
  return true;
}

/** Returns the values of a sequence of DER, or undefined if it is none. */
function valuesIn(der: Buffer): Value[] | undefined {
  const values: Value[] = [];
  for (let at = 0; at < der.length;) {
    const tag = der[at] ?? 0;
    const first = der[at + 1] ?? 0;
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    // Without a length of its own, or one that no file here has.
    if (at + 2 + lengthBytes > der.length || first === 0x80 || lengthBytes > 4) return undefined;
    const length = lengthBytes === 0 ? first : der.readUIntBE(at + 2, lengthBytes);
    const from = at + 2 + lengthBytes;
    if (from + length > der.length) return undefined;
    values.push({ tag, content: der.subarray(from, from + length) });
    at = from + length;
  }
  return values;
}

/** Returns an integer's value; Infinity if it is long. */
function numberIn(content: Buffer): number {
  return content.length === 0 || content.length > 6 ? Infinity : content.readIntBE(0, content.length);
}
