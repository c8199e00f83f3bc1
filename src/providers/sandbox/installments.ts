import { dayAt } from "../../../contract/day.ts";
import { isBusinessDay } from "../../platform/time/business-days.ts";
import type { InstallmentFacts } from "../card-port.ts";
import type { SandboxChargeRow } from "../entities.ts";

// As cards are paid out in Brazil: the first installment a month after the sale, each further one a month later.
const DAYS_BETWEEN = 30;
const NATIONAL = new Map<string, boolean>();

/**
 * Returns what the sandbox says of a paid card's installments: equal ones, of which the first has what is left over, each
 * due on a business day and paid out on it. Its fee and a chargeback are taken off the first ones, and refunds off the last ones.
 */
export function sandboxInstallments(
  { amountMinor, installments, feeMinor, paidAt, createdAt }: SandboxChargeRow,
  refundedMinor: bigint,
  today: Temporal.PlainDate,
  chargedBackMinor = 0n,
): InstallmentFacts[] {
  const count = BigInt(installments);
  const otherMinor = amountMinor / count;
  const grosses = Array.from({ length: installments }, (_, index) =>
    index === 0 ? amountMinor - otherMinor * (count - 1n) : otherMinor,
  );
  const fees = shared(feeMinor ?? 0n, grosses);
  const nets = grosses.map((gross, index) => gross - (fees[index] ?? 0n));
  const refunds = shared(refundedMinor, nets.toReversed()).toReversed();
  const left = nets.map((net, index) => net - (refunds[index] ?? 0n));
  const chargebacks = shared(chargedBackMinor, left);
  const paidOn = dayAt((paidAt ?? createdAt).getTime());
  return grosses.map((grossMinor, index) => {
    const dueOn = dueDay(paidOn, index + 1);
    return {
      installment: index + 1,
      grossMinor,
      feeMinor: fees[index] ?? 0n,
      anticipationFeeMinor: 0n,
      netMinor: nets[index] ?? 0n,
      refundedMinor: refunds[index] ?? 0n,
      chargedBackMinor: chargebacks[index] ?? 0n,
      dueOn: dueOn.toString(),
      paidOn: Temporal.PlainDate.compare(dueOn, today) <= 0 ? dueOn.toString() : null,
    };
  });
}

/** Returns how much of an amount each part takes, the first ones first. */
function shared(amountMinor: bigint, parts: readonly bigint[]): bigint[] {
  let left = amountMinor;
  return parts.map((part) => {
    const taken = left < part ? left : part;
    left -= taken;
    return taken;
  });
}

function dueDay(paidOn: Temporal.PlainDate, installment: number): Temporal.PlainDate {
  let day = paidOn.add({ days: DAYS_BETWEEN * installment });
  while (!isBusinessDay(day, NATIONAL)) day = day.add({ days: 1 });
  return day;
}
