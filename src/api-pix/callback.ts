import type { CallbackReference } from "../providers/ports.ts";
import { isObject, objectIn } from "./answers.ts";

const REFERENCE = /^[0-9A-Za-z]{1,35}$/;
const END_TO_END_ID = /^[0-9A-Za-z]{1,64}$/;

/** Returns what a callback's body refers to; nothing of a body of another form. */
export function readCallback(body: string): CallbackReference[] {
  const money = objectIn(body)?.["pix"];
  if (!Array.isArray(money)) return [];
  return money.filter(isObject).map(({ txid, endToEndId }) => ({
    reference: typeof txid === "string" && REFERENCE.test(txid) ? txid : null,
    providerPaymentId: typeof endToEndId === "string" && END_TO_END_ID.test(endToEndId) ? endToEndId : null,
  }));
}
