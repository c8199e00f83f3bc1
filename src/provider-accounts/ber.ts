/** One value of ASN.1 in BER, and where the next one begins. */
export interface Value {
  /** The number of a universal type, such as INTEGER; undefined for one of another class. */
  readonly type: number | undefined;
  readonly isConstructed: boolean;
  readonly content: Buffer;
  readonly next: number;
}

export const INTEGER = 2;
export const BYTES = 4;

const CLASS = 0xc0;
const CONSTRUCTED = 0x20;
const NUMBER = 0x1f;
const MORE = 0x80;
const INDEFINITE = 0x80;
const LENGTH_BYTES_MAX = 6;
const TYPE_MAX = 2 ** 31;

/** Thrown for a text whose reading takes more steps, or nests deeper, than any key or certificate. */
export class TooManySteps extends Error {}

/** Reads BER as OpenSSL does: types and lengths may be longer than they need to be. */
export class BerReader {
  readonly #depthMax: number;
  #steps: number;

  constructor({ stepsMax, depthMax }: { readonly stepsMax: number; readonly depthMax: number }) {
    this.#steps = stepsMax;
    this.#depthMax = depthMax;
  }

  /** Yields the values that follow each other, up to the first that cannot be read. Error: TooManySteps. */
  *valuesIn(ber: Buffer, depth: number): Generator<Value> {
    for (let at = 0; at < ber.length;) {
      const value = this.#valueAt(ber, at, depth);
      if (!value) return;
      yield value;
      at = value.next;
    }
  }

  /** Returns the bytes of a constructed string: those of its parts. Error: TooManySteps. */
  joined(content: Buffer, depth: number): Buffer {
    return Buffer.concat(this.#parts(content, depth));
  }

  #parts(content: Buffer, depth: number): Buffer[] {
    return [...this.valuesIn(content, depth)].flatMap((part) =>
      part.isConstructed ? this.#parts(part.content, depth + 1) : [part.content],
    );
  }

  /** Returns undefined if there is no value. */
  #valueAt(ber: Buffer, start: number, depth: number): Value | undefined {
    if (this.#steps-- <= 0 || depth > this.#depthMax) throw new TooManySteps();
    const tag = ber[start] ?? 0;
    let at = start + 1;
    let number = tag & NUMBER;
    if (number === NUMBER) {
      number = 0;
      for (let isMore = true; isMore;) {
        const byte = ber[at++] ?? 0;
        number = number * 128 + (byte & ~MORE);
        isMore = (byte & MORE) !== 0;
        if (number >= TYPE_MAX) return undefined;
      }
    }
    const first = ber[at++];
    if (first === undefined) return undefined;
    const shape = {
      type: (tag & CLASS) === 0 ? number : undefined,
      isConstructed: (tag & CONSTRUCTED) !== 0,
    };
    if (first === INDEFINITE) {
      let end = at;
      while (ber[end] !== 0 || ber[end + 1] !== 0) {
        const inner = end < ber.length ? this.#valueAt(ber, end, depth + 1) : undefined;
        if (!inner) return undefined;
        end = inner.next;
      }
      return { ...shape, content: ber.subarray(at, end), next: end + 2 };
    }
    let lengthBytes = first < INDEFINITE ? 0 : first & ~INDEFINITE;
    if (at + lengthBytes > ber.length) return undefined;
    for (; lengthBytes > 1 && ber[at] === 0; at++) lengthBytes--;
    if (lengthBytes > LENGTH_BYTES_MAX) return undefined;
    const length = lengthBytes === 0 ? first : ber.readUIntBE(at, lengthBytes);
    at += lengthBytes;
    if (at + length > ber.length) return undefined;
    return { ...shape, content: ber.subarray(at, at + length), next: at + length };
  }
}
