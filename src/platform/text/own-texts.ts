import type { DescMethodUnary } from "@bufbuild/protobuf";
import { isRead } from "../rpc/audited.ts";
import { checkOwnText } from "../rpc/metadata.ts";

// What users name and note, and addresses. Other fields are ids and secrets, or have checks of their own.
const NAMES = ["name", "displayName", "label", "note", "reason", "iofNature", "iofLegalBasis"];
const ADDRESSES = ["email", "url", "logoUrl", "contact", "site"];
const TEXTS = [...NAMES, ...ADDRESSES];

/** Refuses a card number in a text that would be kept, of any changing RPC. Error: invalid_request on the field. */
export function refuseCardTexts(method: DescMethodUnary, message: object): void {
  if (isRead(method)) return;
  const fields = message as Readonly<Record<string, unknown>>;
  for (const key of TEXTS) {
    const text = fields[key];
    if (typeof text !== "string") continue;
    checkOwnText(method.input.fields.find(({ localName }) => localName === key)?.name ?? key, text);
  }
}
