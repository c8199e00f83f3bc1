import type { BalanceBlock } from "../ports.ts";
import { isProviderId } from "../answer-fields.ts";
import { fieldsIn, isFields, minorOf } from "./json.ts";

const EVENTS: Readonly<Record<string, boolean>> = {
  BALANCE_VALUE_BLOCKED: true,
  BALANCE_VALUE_UNBLOCKED: false,
};
// The others are of courts, of contracts and of Asaas itself, and of no payment.
const MED = "PIX_INFRACTION";
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Returns true for an event about money that Asaas holds back. */
export function isBlockEvent(event: unknown): event is string {
  return typeof event === "string" && Object.hasOwn(EVENTS, event);
}

/** Returns what a callback says of a payment's money that is held back as its payer contests it, or undefined. */
export function readBlock(body: string): BalanceBlock | undefined {
  const fields = fieldsIn(body) ?? {};
  const { id, event } = fields;
  // Its documents name it in two ways.
  const block = [fields["balanceData"], fields["balance"]].find(isFields);
  if (!block || !isBlockEvent(event) || block["type"] !== MED) return undefined;
  const { paymentId, date } = block;
  if (!isProviderId(paymentId)) return undefined;
  try {
    const amountMinor = minorOf(block, "value");
    const on = typeof date === "string" && DAY.test(date) ? date : null;
    const name = isProviderId(id) ? id : `${paymentId} ${on ?? ""}`;
    const common = { id: name, providerPaymentId: paymentId, reason: MED, amountMinor, on };
    return amountMinor > 0n ? { ...common, isHeld: EVENTS[event] === true } : undefined;
  } catch {
    return undefined;
  }
}
