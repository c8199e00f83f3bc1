import { toBinary, type DescMessage, type DescMethodUnary, type MessageShape } from "@bufbuild/protobuf";
import canonicalize from "canonicalize";
import { hash } from "node:crypto";

/**
 * Returns the identity of a request: the RPC and its canonical input. The order of keys in free objects does not
 * matter, and the white space of the request's JSON is not in a message.
 */
export function fingerprintOf<I extends DescMessage>(
  method: DescMethodUnary<I>,
  request: MessageShape<I>,
): Buffer {
  const free: Record<string, unknown> = {};
  const plain: Record<string, unknown> = { ...request };
  for (const field of method.input.fields) {
    if (field.message?.typeName !== "google.protobuf.Struct") continue;
    free[field.name] = plain[field.localName];
    plain[field.localName] = undefined;
  }
  const bytes = Buffer.from(toBinary(method.input, plain as MessageShape<I>));
  const name = `${method.parent.typeName}/${method.name}`;
  return hash("sha256", `${name}\n${bytes.toString("latin1")}\n${canonicalize(free)}`, "buffer");
}
