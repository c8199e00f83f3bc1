import { secondsAfter } from "../../platform/time/clock.ts";
import type { OtherRefund, ProviderReturn, RefundLookup } from "../ports.ts";
import { isRefund, returnOf } from "./charge.ts";
import type { PagarmeTransaction } from "./messages.ts";

// Pagar.me's clock and ours may differ by so much.
const CLOCKS_SECONDS = 300;

/**
 * Returns what became of a refund, by the transactions of its charge, which have no id of ours: one of its amount that was
 * made since its request and that no other refund or return has. Of several refunds without an answer the first one has the
 * first. One that failed is taken only if no other is left.
 */
export function foundAmong(
  request: RefundLookup,
  transactions: readonly PagarmeTransaction[],
  now: Date,
): ProviderReturn | undefined {
  const { refundId, providerPaymentId, amountMinor, others = [] } = request;
  const returned = new Set(others.map(({ providerReturnId }) => providerReturnId));
  const left = transactions
    .filter((one) => isRefund(one) && one.amountMinor === amountMinor && !returned.has(one.id))
    .map((one) => returnOf(one.id, providerPaymentId, one, now))
    .toSorted((one, other) => one.requestedAt.getTime() - other.requestedAt.getTime());
  const own = others
    .filter(({ providerReturnId }) => providerReturnId === null)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  for (const one of own.filter(isEnded)) take(left, one, one.status);
  for (const one of own.filter((other) => !isEnded(other) && other.id < refundId)) take(left, one);
  const found = take(left, request);
  return found && { ...found, id: refundId };
}

function isEnded({ status }: OtherRefund): boolean {
  return status === "succeeded" || status === "failed";
}

/** Takes the first transaction that may be a refund's out of the list, and returns it. */
function take(
  left: ProviderReturn[],
  { requestedAt }: Pick<OtherRefund, "requestedAt">,
  status?: string,
): ProviderReturn | undefined {
  const since = secondsAfter(requestedAt, -CLOCKS_SECONDS);
  const fitting = left.filter(
    (one) => one.requestedAt >= since && (status === undefined || one.status === status),
  );
  const taken = fitting.find((one) => one.status !== "failed") ?? fitting[0];
  if (taken) left.splice(left.indexOf(taken), 1);
  return taken;
}
