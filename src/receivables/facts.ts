import type { ProviderEntryKind } from "../ledger/provider-postings.ts";
import type { InstallmentFacts, SettlementFacts } from "../providers/card-port.ts";
import type { DisputeRow, ReceivableFactRow } from "./entities.ts";

const INSTALLMENT_MAX = 99;
const DISPUTES_MAX = 200;

/** What holds of a kind and an installment by all facts that are kept, the last one's number and day with it. */
export interface Known {
  readonly amountMinor: bigint;
  readonly number: number;
  readonly onDay: string | null;
}

/** What is kept of a payment's installments, by `keyOf`. */
export type KnownFacts = ReadonlyMap<string, Known>;

/** A fact that is new. */
export type NewFact = Pick<ReceivableFactRow, "kind" | "installment" | "number" | "amountMinor" | "onDay">;

export function keyOf({ kind, installment }: Pick<ReceivableFactRow, "kind" | "installment">): string {
  return `${kind} ${installment}`;
}

/**
 * Returns what is wrong with what a provider says of a charge of this price, or null. Installments have the numbers from
 * 1 on and are the price together, and net and fees of each are its gross.
 */
export function problemOf(
  { installments, disputes }: SettlementFacts,
  payerTotalMinor: bigint,
): "amounts" | "installments" | "price" | "disputes" | null {
  const numbers = new Set(installments.map(({ installment }) => installment));
  const isCounted = installments.every(
    ({ installment }) => installment >= 1 && installment <= installments.length,
  );
  if (!isCounted || numbers.size !== installments.length || numbers.size > INSTALLMENT_MAX)
    return "installments";
  if (!installments.every(hasRightAmounts)) return "amounts";
  const grossMinor = installments.reduce((sum, facts) => sum + facts.grossMinor, 0n);
  if (grossMinor !== payerTotalMinor) return "price";
  const isOfThem = disputes.every(
    ({ installment, amountMinor }) => (installment === 0 || numbers.has(installment)) && amountMinor > 0n,
  );
  return isOfThem && disputes.length <= DISPUTES_MAX ? null : "disputes";
}

function hasRightAmounts(facts: InstallmentFacts): boolean {
  const { grossMinor, feeMinor, anticipationFeeMinor, netMinor, refundedMinor, chargedBackMinor } = facts;
  const amounts = [grossMinor, feeMinor, anticipationFeeMinor, netMinor, refundedMinor, chargedBackMinor];
  return (
    grossMinor > 0n &&
    amounts.every((amountMinor) => amountMinor >= 0n) &&
    grossMinor === netMinor + feeMinor + anticipationFeeMinor
  );
}

/** Returns what a provider paid out of an installment and has not taken back: below 0 where it took more. */
export function paidOutMinor({
  netMinor,
  refundedMinor,
  chargedBackMinor,
  paidOn,
}: InstallmentFacts): bigint {
  return paidOn === null ? 0n : netMinor - refundedMinor - chargedBackMinor;
}

/** Returns what of an installment is still to come. */
export function outstandingMinor(facts: InstallmentFacts): bigint {
  const { netMinor, refundedMinor, chargedBackMinor } = facts;
  return netMinor - refundedMinor - chargedBackMinor - paidOutMinor(facts);
}

/** Returns the first day on which money is expected that is still to come, or null if none is named. */
export function firstDueOn(installments: readonly InstallmentFacts[]): string | null {
  const days = installments.flatMap((one) => (outstandingMinor(one) > 0n ? (one.dueOn ?? []) : []));
  return days.toSorted()[0] ?? null;
}

/**
 * Returns the facts by which what a provider says now differs from what is kept: none if it says the same again. A
 * lower amount is a fact below 0, and another expected day alone one of 0.
 */
export function newFacts(known: KnownFacts, installments: readonly InstallmentFacts[]): NewFact[] {
  return installments.flatMap((facts) =>
    amountsOf(facts).flatMap(({ kind, amountMinor, onDay }): NewFact[] => {
      const { installment } = facts;
      const earlier = known.get(keyOf({ kind, installment }));
      const byMinor = amountMinor - (earlier?.amountMinor ?? 0n);
      const isMoved = kind === "receivable" && earlier !== undefined && earlier.onDay !== onDay;
      if (byMinor === 0n && !isMoved) return [];
      return [{ kind, installment, number: (earlier?.number ?? 0) + 1, amountMinor: byMinor, onDay }];
    }),
  );
}

interface Amount {
  readonly kind: ProviderEntryKind;
  readonly amountMinor: bigint;
  readonly onDay: string | null;
}

function amountsOf(facts: InstallmentFacts): Amount[] {
  return [
    { kind: "receivable", amountMinor: facts.grossMinor, onDay: facts.dueOn },
    { kind: "provider_fee", amountMinor: facts.feeMinor, onDay: null },
    { kind: "anticipation", amountMinor: facts.anticipationFeeMinor, onDay: null },
    { kind: "chargeback", amountMinor: facts.chargedBackMinor, onDay: null },
    { kind: "refund_deduction", amountMinor: facts.refundedMinor, onDay: null },
    { kind: "payout", amountMinor: paidOutMinor(facts), onDay: facts.paidOn },
  ];
}

/** Returns true for a dispute that is neither won nor lost. */
export function isOpen({ status }: Pick<DisputeRow, "status">): boolean {
  return status === "needs_response" || status === "under_review";
}

/** Returns what of a dispute is not as it is kept, or null. */
export function disputeNews(
  kept: Pick<DisputeRow, "status" | "respondBy">,
  reported: Pick<DisputeRow, "status"> & { readonly respondBy: string | null },
): Pick<DisputeRow, "status" | "respondBy"> | null {
  const { status } = reported;
  // A deadline that is no longer said is still the one that was.
  const respondBy = reported.respondBy ?? kept.respondBy ?? null;
  return status === kept.status && respondBy === (kept.respondBy ?? null) ? null : { status, respondBy };
}
