import { fromBinary, getOption, type DescField, type DescMessage, type DescMethod } from "@bufbuild/protobuf";
import { field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { invalidRequest, toConnectError } from "../rpc/errors.ts";
import { ofMethod } from "../../../contract/of-method.ts";

const KIB = 1024;
// Health and reflection.
const FOREIGN_BYTES = 4 * KIB;
// A request of the public API has 64 KiB of JSON, and 16 KiB of headers with its address.
const PLAIN_BYTES = 80 * KIB;
// Two free objects of 2000 values each, as many as the RPCs take, add up to fourteen bytes for a value.
const WITH_FREE_OBJECT_BYTES = 128 * KIB;
// Fields of fewer bytes are hashes and the like.
const FILE_BYTES_MIN = 64 * KIB;
const BASE64 = 4 / 3;
// The depth of nested messages. Metadata may be nested 32 deep, which takes two messages per level.
const DEPTH_MAX = 100;

/** Returns the most bytes that a request of an RPC may have, from the request's .proto. */
export const bytesMaxOf = ofMethod(({ parent, input }): number => {
  if (!parent.typeName.startsWith("paylink.")) return FOREIGN_BYTES;
  const usual = hasFreeObject(input) ? WITH_FREE_OBJECT_BYTES : PLAIN_BYTES;
  const fileBytes = input.fields.reduce((sum, field) => sum + fileBytesMax(field), 0);
  return fileBytes < FILE_BYTES_MIN ? usual : usual + Math.ceil(fileBytes * BASE64);
});

function hasFreeObject({ fields }: DescMessage): boolean {
  return fields.some(({ message }) => message?.typeName === "google.protobuf.Struct");
}

function fileBytesMax(field: DescField): number {
  const { type } = getOption(field, fieldRules);
  return type.case === "bytes" ? Number(type.value.maxLen) : 0;
}

/** Refuses bytes of protobuf that cannot be decoded: Connect calls them a fault of ours. Error: invalid_request. */
export function requireDecodable({ input }: DescMethod, bytes: Uint8Array): void {
  try {
    fromBinary(input, bytes, { recursionLimit: DEPTH_MAX });
  } catch {
    throw toConnectError(invalidRequest(null, `The request is not a ${input.typeName} in protobuf.`));
  }
}
