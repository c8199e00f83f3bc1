import { objectIn } from "../answers.ts";
import { isObject, isProviderId } from "../answer-fields.ts";
import type { CallbackReference } from "../ports.ts";

const REFERENCE = /^pay[0-9a-z]{26}$/;

/**
 * Returns what a callback's body refers to, of an order or of a charge; nothing of a body of another form. A code in another
 * form than ours is a charge of the merchant's own, and is left out.
 */
export function readCallback(body: string): CallbackReference[] {
  const data = objectIn(body)?.["data"];
  if (!isObject(data)) return [];
  const { order, code, id } = data;
  // A charge has a code of its own, which may be another one than its order's.
  const reference = isObject(order) ? order["code"] : code;
  return [
    {
      reference: typeof reference === "string" && REFERENCE.test(reference) ? reference : null,
      providerPaymentId: isProviderId(id) ? id : null,
    },
  ];
}
