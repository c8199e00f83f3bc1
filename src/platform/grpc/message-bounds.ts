import { fromBinary, getOption, type DescField, type DescMessage, type DescMethod } from "@bufbuild/protobuf";
import { field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { Code, ConnectError } from "@connectrpc/connect";
import { invalidRequest, toConnectError } from "../errors.ts";
import { ofMethod } from "../../../contract/of-method.ts";
import { countBinary, countJson } from "./element-count.ts";

/** The bounds of an RPC's requests. */
export interface MessageBounds {
  readonly bytes: number;
  /** Fields, items of lists and values, at any depth. */
  readonly elements: number;
  /** Time until the complete request has arrived. */
  readonly arrivalMs: number;
}

const KIB = 1024;
// The depth of nested messages. Metadata may be nested 32 deep, which takes two messages per level.
const DEPTH_MAX = 100;
const FOREIGN: MessageBounds = { bytes: 4 * KIB, elements: 100, arrivalMs: 3000 };
// A request of the public API has 64 KiB of JSON, with up to 4100 members and elements, and 16 KiB of headers with its
// address. What is over an RPC's own limits is refused there, with its field.
const PLAIN: MessageBounds = { bytes: 80 * KIB, elements: 4200, arrivalMs: 10_000 };
const LARGE_ELEMENTS = 2000;
// Two free objects of 2000 values each, as many as the RPCs take, add up to
// fourteen bytes and four fields for a value.
const WITH_FREE_OBJECT: MessageBounds = { bytes: 128 * KIB, elements: 17_000, arrivalMs: 10_000 };
// Fields of fewer bytes are hashes and the like.
const FILE_BYTES_MIN = 64 * KIB;
const FILE_MS = 30_000;
/** The maximum of any request; each RPC has its own lower bounds. */
export const MESSAGE_BYTES_MAX = 8 * KIB * KIB;
const BASE64 = 4 / 3;

/** Returns the bounds of an RPC, from its request in the .proto. Health and reflection need very little. */
export const boundsOf = ofMethod(({ parent, input }): MessageBounds => {
  if (!parent.typeName.startsWith("paylink.")) return FOREIGN;
  const usual = hasFreeObject(input) ? WITH_FREE_OBJECT : PLAIN;
  const fileBytes = input.fields.reduce((sum, field) => sum + fileBytesMax(field), 0);
  if (fileBytes < FILE_BYTES_MIN) return usual;
  return { ...usual, bytes: usual.bytes + Math.ceil(fileBytes * BASE64), arrivalMs: FILE_MS };
});

function hasFreeObject({ fields }: DescMessage): boolean {
  return fields.some(({ message }) => message?.typeName === "google.protobuf.Struct");
}

function fileBytesMax(field: DescField): number {
  const { type } = getOption(field, fieldRules);
  return type.case === "bytes" ? Number(type.value.maxLen) : 0;
}

/**
 * Refuses a message with too many elements, before memory is spent on it. Returns its number of elements, or 0 if it is
 * too small to be counted. Errors: resource_exhausted; invalid_argument with invalid_request.
 */
export function countElements(method: DescMethod, bytes: Uint8Array, isJson: boolean): number {
  const { bytes: bytesMax, elements: elementsMax } = boundsOf(method);
  if (bytes.length > bytesMax) throw tooLarge(bytesMax);
  // Each element takes at least one byte.
  if (bytes.length <= LARGE_ELEMENTS && bytes.length <= elementsMax) return 0;
  const count = isJson
    ? countJson(bytes, elementsMax)
    : readable(method, () => countBinary(method.input, bytes, elementsMax));
  if (count > elementsMax) throw tooMany(elementsMax);
  return count;
}

/** Returns true if decoding this many elements noticeably delays other calls. */
export function isLarge(elements: number): boolean {
  return elements > LARGE_ELEMENTS;
}

/** Refuses bytes that cannot be decoded. The syntax and depth of JSON are checked later. Error: invalid_request. */
export function checkReadable(method: DescMethod, bytes: Uint8Array, isJson: boolean): void {
  if (!isJson) readable(method, () => fromBinary(method.input, bytes, { recursionLimit: DEPTH_MAX }));
}

function readable<T>({ input }: DescMethod, read: () => T): T {
  try {
    return read();
  } catch {
    throw toConnectError(invalidRequest(null, `The request is not a ${input.typeName} in protobuf.`));
  }
}

export function tooLarge(bytesMax: number): ConnectError {
  return new ConnectError(`The request is larger than ${bytesMax} bytes.`, Code.ResourceExhausted);
}

function tooMany(elementsMax: number): ConnectError {
  const message = `The request holds more than ${elementsMax} fields, items and values.`;
  return new ConnectError(message, Code.ResourceExhausted);
}
