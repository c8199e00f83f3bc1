import { secondsAfter } from "../platform/clock.ts";
import type { OtherRefund, ProviderReturn, RefundLookup } from "../providers/ports.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import { isRefund, returnOf } from "./charge.ts";
import type { PagarmeTransaction } from "./messages.ts";

// A key is kept for 24 hours. A request of the last one might be carried out anew.
const KEY_SECONDS = 23 * 3600;
// Pagar.me's clock and ours may differ by so much.
const CLOCKS_SECONDS = 300;

/** Returns true if a request may not be repeated by its key any more. */
export function isKeyOver(requestedAt: Date, now: Date): boolean {
  return now >= secondsAfter(requestedAt, KEY_SECONDS);
}

/**
 * Returns what became of a refund whose key is over, by the transactions of its charge: one of its amount that was made while
 * its key was kept and that no other refund or return has. Of several refunds without an answer the first one has the first.
 * Throws ProviderFault if another refund may have it by its key, or if such transactions have come to different ends.
 */
export function foundAmong(
  request: RefundLookup,
  transactions: readonly PagarmeTransaction[],
  now: Date,
): ProviderReturn | undefined {
  const { refundId, providerPaymentId, amountMinor, requestedAt, others = [] } = request;
  const returned = new Set(others.map(({ providerReturnId }) => providerReturnId));
  const left = transactions
    .filter((one) => isRefund(one) && one.amountMinor === amountMinor && !returned.has(one.id))
    .map((one) => returnOf(one.id, providerPaymentId, one, now))
    .toSorted((one, other) => one.requestedAt.getTime() - other.requestedAt.getTime());
  const own = others
    .filter(({ providerReturnId }) => providerReturnId === null)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  for (const one of own.filter(isEnded)) take(left, one, one.status);
  const open = own.filter((one) => !isEnded(one));
  for (const one of open.filter(({ id }) => id < refundId)) take(left, one);
  const found = left.filter((one) => isInTime(one, requestedAt));
  const isOfKey = open.some((one) => !isKeyOver(one.requestedAt, now));
  if (new Set(found.map(({ status }) => status)).size > 1 || (isOfKey && found.length > 0)) {
    throw new ProviderFault("unknown", "a refund cannot be told from another one of its amount");
  }
  return found[0] && { ...found[0], id: refundId };
}

function isEnded({ status }: OtherRefund): boolean {
  return status === "succeeded" || status === "failed";
}

/** Takes the first transaction that may be another refund's out of the list. */
function take(left: ProviderReturn[], { requestedAt }: OtherRefund, status?: string): void {
  const index = left.findIndex(
    (one) => isInTime(one, requestedAt) && (status === undefined || one.status === status),
  );
  if (index !== -1) left.splice(index, 1);
}

/** Returns true for what was made while the key of a request was kept. */
function isInTime({ requestedAt: madeAt }: ProviderReturn, requestedAt: Date): boolean {
  const until = secondsAfter(requestedAt, KEY_SECONDS + CLOCKS_SECONDS);
  return madeAt >= secondsAfter(requestedAt, -CLOCKS_SECONDS) && madeAt <= until;
}
