import { objectIn } from "../answers.ts";
import { isProviderId } from "../answer-fields.ts";
import type { CallbackReference } from "../ports.ts";
import { isBlockEvent, readBlock } from "./block.ts";
import type { Billing } from "./charges.ts";
import { isFields } from "./json.ts";
import { ownReference } from "./messages.ts";

// Each end of a session brings one for every installment. It is of no money, and the next check sees it.
const REMOVED = "PAYMENT_DELETED";

/**
 * Returns what a callback's body refers to, by its reference and by the payment's id, as no list has a payment that was
 * removed; nothing of a body of another form, or of a charge that is not ours or is paid in another way: a merchant may have
 * one account for cards and one for PIX, and Asaas calls both back of all.
 */
export function readCallback(body: string, type: Billing["type"]): CallbackReference[] {
  // No amount is read here, and keeping numbers as texts takes fifty times as long.
  const { event, payment, balance, balanceData } = objectIn(body) ?? {};
  if (type === "PIX" && isBlockEvent(event) && (isFields(balance) || isFields(balanceData))) {
    const block = readBlock(body);
    if (!block) return [];
    const { providerPaymentId } = block;
    return [{ reference: null, providerPaymentId, isOfKnownMoney: true, block }];
  }
  if (!isFields(payment) || event === REMOVED || (payment["billingType"] ?? type) !== type) return [];
  const reference = ownReference(payment);
  if (reference === null) return [];
  const { id } = payment;
  if (!isProviderId(id)) return [{ reference, providerPaymentId: null }];
  return [{ reference, providerPaymentId: id, chargeId: id }];
}
