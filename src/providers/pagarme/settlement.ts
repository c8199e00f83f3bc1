import { dayAt } from "../../../contract/day.ts";
import { unreadable } from "../answer-fields.ts";
import type { DisputeFacts, InstallmentFacts, SettlementFacts } from "../card-port.ts";
import { wonChargebacks, worthOf } from "./charge.ts";
import type { disputesOfCharge } from "./disputes.ts";
import type { PagarmePayable } from "./messages.ts";

/** What a payable's money is: the payer's, or taken off it. */
type Part = "gross" | "refunded" | "chargedBack";

// The last two give back what was taken off.
const PARTS: Readonly<Record<string, readonly [part: Part, sign: bigint]>> = {
  credit: ["gross", 1n],
  refund: ["refunded", 1n],
  chargeback: ["chargedBack", 1n],
  refund_reversal: ["refunded", -1n],
  chargeback_refund: ["chargedBack", -1n],
};

/**
 * Returns what Pagar.me says of the money of a charge, by all payables of it. A contest is
 * known by its money alone: it is lost while the money is gone, and won when it came back.
 * Throws ProviderFault for a payable of an unknown type, or of an installment without a credit.
 */
export function settlementOf(payables: readonly PagarmePayable[]): SettlementFacts {
  // A charge without installments may leave their number out.
  const byInstallment = Map.groupBy(payables, ({ installment }) => Number(installment ?? 1n));
  const installments = [...byInstallment].map(([number, own]) => factsOf(number, own));
  const { unmatchedCount } = wonChargebacks(payables);
  return {
    installments: installments.toSorted((one, other) => one.installment - other.installment),
    disputes: disputesOf(payables),
    ...(unmatchedCount > 0 && { unmatchedCount }),
  };
}

/**
 * Returns what is known of the money with what the API of disputes says. Contests that it has are not those of the payables
 * once more, and while it is not known what it has, none is told.
 */
export function withDisputes(
  facts: SettlementFacts,
  disputes: Awaited<ReturnType<typeof disputesOfCharge>>,
): SettlementFacts {
  if (disputes === "unknown") return { ...facts, disputes: [], isIncomplete: true };
  return disputes === "denied" || disputes.length === 0 ? facts : { ...facts, disputes };
}

function disputesOf(payables: readonly PagarmePayable[]): DisputeFacts[] {
  const { ids: won } = wonChargebacks(payables);
  return payables
    .filter(({ type }) => type === "chargeback")
    .map(({ id, installment, amountMinor, createdAt }) => ({
      id,
      installment: Number(installment ?? 1n),
      amountMinor: worthOf(amountMinor),
      status: won.has(id) ? "won" : "lost",
      reason: null,
      openedOn: dayAt(createdAt.getTime()).toString(),
      respondBy: null,
    }));
}

function factsOf(installment: number, payables: readonly PagarmePayable[]): InstallmentFacts {
  const credits = payables.filter((one) => partOf(one)[0] === "gross");
  const days = credits.flatMap(({ movesOn }) => movesOn ?? []).toSorted();
  if (credits.length === 0) throw unreadable("installment");
  const grossMinor = sumOf(payables, "gross");
  // A refund may give a fee back, too: by one below 0.
  const feeMinor = payables.reduce((sum, one) => sum + one.feeMinor, 0n);
  const anticipationFeeMinor = payables.reduce((sum, one) => sum + one.anticipationFeeMinor, 0n);
  const dueOn = days.at(-1) ?? null;
  return {
    installment,
    grossMinor,
    feeMinor,
    anticipationFeeMinor,
    netMinor: grossMinor - feeMinor - anticipationFeeMinor,
    refundedMinor: sumOf(payables, "refunded"),
    chargedBackMinor: sumOf(payables, "chargedBack"),
    dueOn,
    paidOn: credits.every(({ hasMoved }) => hasMoved) ? dueOn : null,
  };
}

function sumOf(payables: readonly PagarmePayable[], part: Part): bigint {
  return payables.reduce((sum, one) => {
    const [own, sign] = partOf(one);
    const { amountMinor } = one;
    return own === part ? sum + sign * worthOf(amountMinor) : sum;
  }, 0n);
}

function partOf({ type }: PagarmePayable): readonly [part: Part, sign: bigint] {
  const found = Object.hasOwn(PARTS, type) ? PARTS[type] : undefined;
  if (!found) throw unreadable("type");
  return found;
}
