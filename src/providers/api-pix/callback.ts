import type { CallbackReference } from "../ports.ts";
import { isObject, isProviderId, objectIn } from "../answers.ts";

const REFERENCE = /^[0-9A-Za-z]{1,35}$/;

/** Returns what a callback's body refers to; nothing of a body of another form. Inter sends the list alone. */
export function readCallback(body: string): CallbackReference[] {
  const isList = body.trimStart().startsWith("[");
  const money = objectIn(isList ? `{"pix":${body}}` : body)?.["pix"];
  if (!Array.isArray(money)) return [];
  return money.filter(isObject).map(({ txid, endToEndId }) => ({
    reference: typeof txid === "string" && REFERENCE.test(txid) ? txid : null,
    providerPaymentId: isProviderId(endToEndId) ? endToEndId : null,
  }));
}
