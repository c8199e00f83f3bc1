import fc from "fast-check";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const FRAME_TYPES = 10;
// Headers of a call in the static table and in plain texts, as HPACK writes them.
const GOOD_HEADERS = Buffer.concat([Buffer.from([0x83, 0x86]), literal(4, "/a"), literal(1, "a")]);

/** A frame as it is drawn: what it says of itself need not be so. */
interface FrameDraw {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Uint8Array;
  /** How much more or less than the payload its head says. */
  readonly surplus: number;
}

const frame: fc.Arbitrary<Buffer> = fc
  .record<FrameDraw>({
    type: fc.nat({ max: FRAME_TYPES }),
    flags: fc.constantFrom(0, 1, 4, 5, 8, 0x20, 0xff),
    stream: fc.constantFrom(0, 1, 1, 2, 3, 0x7fff_ffff),
    payload: fc.oneof(
      fc.uint8Array({ maxLength: 20 }),
      fc.constantFrom<Uint8Array>(
        Buffer.alloc(0),
        Buffer.alloc(4),
        Buffer.alloc(6),
        Buffer.alloc(8),
        GOOD_HEADERS,
        Buffer.from([0x3f, 0xff, 0xff, 0xff, 0xff, 0x0f]),
        Buffer.alloc(2000, 0x82),
      ),
    ),
    surplus: fc.constantFrom(0, 0, 0, 0, -1, 1, 0x4000, 0xff_fff0),
  })
  .map(({ type, flags, stream, payload, surplus }) => {
    const head = Buffer.alloc(9);
    head.writeUIntBE(Math.min(Math.max(0, payload.length + surplus), 0xff_ffff), 0, 3);
    head.writeUInt8(type, 3);
    head.writeUInt8(flags, 4);
    head.writeUInt32BE(stream, 5);
    return Buffer.concat([head, payload]);
  });
const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

/** A connection of HTTP/2 with frames that are wrong by themselves or in their order. */
export const http2Bytes: fc.Arbitrary<Uint8Array[]> = fc
  .tuple(
    fc.constantFrom(PREFACE, PREFACE, PREFACE, PREFACE, PREFACE.subarray(0, 10), Buffer.alloc(0)),
    fc.boolean(),
    fc.array(frame, { maxLength: 8, size: "max" }),
  )
  .map(([preface, hasSettings, frames]) => [
    Buffer.concat([preface, ...(hasSettings ? [settings] : []), ...frames]),
  ]);

function literal(index: number, text: string): Buffer {
  return Buffer.concat([Buffer.from([0x40 | index, text.length]), Buffer.from(text)]);
}
