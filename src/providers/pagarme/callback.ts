import { objectIn } from "../answers.ts";
import { isObject, isProviderId } from "../answer-fields.ts";
import type { CallbackReference } from "../ports.ts";

const REFERENCE = /^pay[0-9a-z]{26}$/;

// News of a contest may come without its order.
const CONTEST = /^(?:dispute|chargeback)\./;

/**
 * Returns what a callback's body refers to, of an order, a charge or a contest; nothing of a body of another form. A code in
 * another form than ours is a charge of the merchant's own, and is left out.
 */
export function readCallback(body: string): CallbackReference[] {
  const { type, data } = objectIn(body) ?? {};
  if (!isObject(data)) return [];
  const { order, code, id } = data;
  // A charge has a code of its own, which may be another one than its order's.
  const reference = isObject(order) ? order["code"] : code;
  if (typeof reference === "string" && REFERENCE.test(reference)) {
    return [{ reference, providerPaymentId: isProviderId(id) ? id : null }];
  }
  const isContest = typeof type === "string" && CONTEST.test(type);
  const { chargeId, charge_id: chargeIdToo, charge } = data;
  const named = [chargeId, chargeIdToo, isObject(charge) ? charge["id"] : undefined, id];
  const providerPaymentId = (isContest ? named : [id]).find(isProviderId) ?? null;
  return [{ reference: null, providerPaymentId, ...(isContest ? { isOfKnownMoney: true } : {}) }];
}
