import { wordIn } from "../answer-fields.ts";
import type { CardProgress, CardState } from "../card-port.ts";
import type { Decline } from "../decline.ts";
import type { ProviderReturn } from "../ports.ts";
import type { PagarmeCharge, PagarmePayable, PagarmeTransaction } from "./messages.ts";

type Status = ProviderReturn["status"];

const ENDS: Readonly<Record<string, Status>> = {
  refunded: "succeeded",
  partial_refunded: "succeeded",
  voided: "succeeded",
  failed: "failed",
  with_error: "failed",
  not_authorized: "failed",
};

/** Returns what the charges of one reference mean together, the newest first. */
export function stateOf(charges: readonly PagarmeCharge[], returns: readonly ProviderReturn[]): CardState {
  const paid = charges.filter(({ standing }) => standing === "paid");
  return {
    progress: progressOf(charges),
    chargeId: (paid.at(-1) ?? charges[0])?.id ?? null,
    receipts: paid.flatMap(({ id, amountMinor, paidAt, last }) =>
      paidAt ? [{ providerPaymentId: id, amountMinor, paidAt, ...(last?.card && { card: last.card }) }] : [],
    ),
    returns,
  };
}

function progressOf(charges: readonly PagarmeCharge[]): CardProgress {
  const standings = new Set(charges.map(({ standing }) => standing));
  if (standings.has("paid")) return { status: "approved" };
  if (standings.has("waiting")) return { status: "processing" };
  const failed = charges.find(({ standing }) => standing === "failed");
  if (failed) return { status: "declined", decline: declineOf(failed.last) };
  return { status: standings.has("voided") ? "canceled" : "absent" };
}

/** Returns whose refusal it was: the antifraud's, the issuer's by its code, or Pagar.me's own. */
function declineOf(last: PagarmeTransaction | null): Decline {
  const brand = last?.card?.brand ?? null;
  if (last?.antifraud === "reproved") return { source: "pagarme", brand, code: "antifraud_reproved" };
  if (last?.status === "not_authorized" && last.returnCode !== null) {
    const { returnCode: code, knownCard } = last;
    return { source: "abecs", brand, code, ...(knownCard && { card: knownCard }) };
  }
  return { source: "pagarme", brand, code: wordIn(last?.status) ?? "failed" };
}

/** Returns what of a charge went back: by refunds, which have no id of ours, and by chargebacks of installments. */
export function returnsOf(
  { id: providerPaymentId, paidAt }: PagarmeCharge,
  transactions: readonly PagarmeTransaction[],
  payables: readonly PagarmePayable[],
  now: Date,
): ProviderReturn[] {
  if (paidAt === null) return [];
  const refunds = transactions
    .filter(isRefund)
    .map((one) => ({ ...returnOf(one.id, providerPaymentId, one, now), isUnnamed: true as const }));
  const { ids: won } = wonChargebacks(payables);
  const chargebacks = payables
    .filter(({ type }) => type === "chargeback")
    .map(({ id, amountMinor, createdAt }): ProviderReturn => {
      const status = won.has(id) ? "failed" : "succeeded";
      const times = { requestedAt: createdAt, endedAt: createdAt };
      const common = { id, providerPaymentId, amountMinor: worthOf(amountMinor) };
      return { ...common, status, reason: "chargeback", ...times };
    });
  return [...refunds, ...chargebacks];
}

/**
 * Returns the ids of the chargebacks whose money came back: each time that of an installment's first one of the amount that
 * had not come back before. `unmatchedCount`: how often money came back that is of no such amount.
 */
export function wonChargebacks(payables: readonly PagarmePayable[]): {
  readonly ids: ReadonlySet<string>;
  readonly unmatchedCount: number;
} {
  const inOrder = payables.toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
  const chargebacks = inOrder.filter(({ type }) => type === "chargeback");
  const ids = new Set<string>();
  let unmatchedCount = 0;
  for (const { type, installment, amountMinor, createdAt } of inOrder) {
    if (type !== "chargeback_refund") continue;
    const found = chargebacks.find(
      (one) =>
        !ids.has(one.id) &&
        one.installment === installment &&
        one.createdAt <= createdAt &&
        worthOf(one.amountMinor) === worthOf(amountMinor),
    );
    if (found) ids.add(found.id);
    else unmatchedCount++;
  }
  return { ids, unmatchedCount };
}

/** The sign of a payable's amount is not relied on. */
export function worthOf(amountMinor: bigint): bigint {
  return amountMinor < 0n ? -amountMinor : amountMinor;
}

/** Returns true for what gives money back by a refund, at any stage. */
export function isRefund({ isCancel, status }: PagarmeTransaction): boolean {
  return isCancel && status !== "chargedback";
}

/** Returns a refund as its transaction has it. */
export function returnOf(
  id: string,
  providerPaymentId: string,
  { status: word, amountMinor, createdAt }: PagarmeTransaction,
  now: Date,
): ProviderReturn {
  const status = Object.hasOwn(ENDS, word) ? (ENDS[word] ?? "processing") : "processing";
  const endedAt = status === "processing" ? null : now;
  const reason = status === "failed" ? word : null;
  return { id, providerPaymentId, amountMinor, status, reason, requestedAt: createdAt, endedAt };
}
