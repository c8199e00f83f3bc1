import { ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { JsonCounter } from "../json-counter.ts";

/** Returns the number of values and members of a JSON text. Counting ends a little above `enough`. */
export function countJson(bytes: Uint8Array, enough: number): number {
  return new JsonCounter().add(bytes, enough);
}

/**
 * Returns the number of fields and items of a message at any depth, without decoding it. Counting ends a little above
 * `enough`. Throws if the message cannot be read.
 */
export function countBinary(desc: DescMessage, bytes: Uint8Array, enough: number): number {
  return new Counter(bytes, enough).walk(shapeOf(desc), bytes.length, 0);
}

interface Held {
  readonly wireType: WireType;
  /** True: the items may be packed, each in at least one byte. */
  readonly isPackable: boolean;
  readonly inner: (() => Shape) | undefined;
}

type Shape = ReadonlyMap<number, Held>;

const DEPTH_MAX = 200;
const CONTINUES = 0x80;
const SIZES: Partial<Record<WireType, number>> = { [WireType.Bit64]: 8, [WireType.Bit32]: 4 };

/** Reads the same bytes as the decoder will, and refuses messages on which the two could differ. */
class Counter {
  readonly #bytes: Uint8Array;
  readonly #reader: BinaryReader;
  readonly #enough: number;
  #elements = 0;

  constructor(bytes: Uint8Array, enough: number) {
    this.#bytes = bytes;
    this.#reader = new BinaryReader(bytes);
    this.#enough = enough;
  }

  walk(shape: Shape, end: number, depth: number): number {
    if (depth > DEPTH_MAX) throw new Error("nested too deep");
    const reader = this.#reader;
    while (reader.pos < end && this.#elements <= this.#enough) {
      const [number, wireType] = reader.tag();
      this.#elements++;
      const held = shape.get(number);
      const isPacked = held?.isPackable === true && wireType === WireType.LengthDelimited;
      if (held && held.wireType !== wireType && !isPacked) throw new Error("another wire type");
      if (!isPacked && !held?.inner) {
        reader.skip(wireType, number);
        continue;
      }
      const length = reader.uint32();
      const fieldEnd = reader.pos + length;
      if (fieldEnd > end) throw new Error("ends too early");
      if (held?.inner) this.walk(held.inner(), fieldEnd, depth + 1);
      else this.#passItems(held?.wireType, fieldEnd);
    }
    if (reader.pos > end) throw new Error("ends too late");
    return this.#elements;
  }

  #passItems(wireType: WireType | undefined, end: number): void {
    const size = wireType === undefined ? 1 : (SIZES[wireType] ?? 1);
    const length = end - this.#reader.pos;
    const isLastOpen = size === 1 && length > 0 && (this.#bytes[end - 1] as number) >= CONTINUES;
    if (length % size > 0 || isLastOpen) throw new Error("an item ends too late");
    this.#elements += length / size;
    this.#reader.pos = end;
  }
}

const shapes = new WeakMap<DescMessage, Shape>();

function shapeOf(desc: DescMessage): Shape {
  let shape = shapes.get(desc);
  if (!shape) {
    shape = new Map(desc.fields.map((field) => [field.number, heldBy(field)]));
    shapes.set(desc, shape);
  }
  return shape;
}

const [MAP_KEY, MAP_VALUE] = [1, 2];

function heldBy(field: DescField): Held {
  const { message, scalar } = field;
  const single = {
    wireType: message ? WireType.LengthDelimited : wireTypeOf(scalar),
    isPackable: false,
    inner: message && (() => shapeOf(message)),
  };
  if (field.fieldKind === "map") {
    const key = { wireType: wireTypeOf(field.mapKey), isPackable: false, inner: undefined };
    const entry = new Map<number, Held>([
      [MAP_KEY, key],
      [MAP_VALUE, single],
    ]);
    return { wireType: WireType.LengthDelimited, isPackable: false, inner: () => entry };
  }
  const isPackable = field.fieldKind === "list" && single.wireType !== WireType.LengthDelimited;
  return { ...single, isPackable };
}

/** An enum has no scalar type, and counts as an integer. */
function wireTypeOf(scalar: ScalarType | undefined): WireType {
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return WireType.LengthDelimited;
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return WireType.Bit64;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return WireType.Bit32;
    default:
      return WireType.Varint;
  }
}
