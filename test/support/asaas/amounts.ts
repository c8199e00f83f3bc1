import type { BillingType, Fees } from "./state.ts";

/** Returns the values of a plan's installments: what a division leaves is in the last one. */
export function dividedMinor(totalMinor: bigint, count: number): bigint[] {
  const each = totalMinor / BigInt(count);
  const last = totalMinor - each * BigInt(count - 1);
  return Array.from({ length: count }, (_, index) => (index === count - 1 ? last : each));
}

/** Returns one installment's fee: that of the total, split without what the division leaves. */
export function feeMinor(fees: Fees, billingType: BillingType, totalMinor: bigint, count: number): bigint {
  if (billingType === "PIX") return fees.pixFixedMinor;
  return cardFeeMinor(fees, totalMinor, count) / BigInt(count);
}

function cardFeeMinor(fees: Fees, totalMinor: bigint, count: number): bigint {
  const [once, few, some, many] = fees.cardBasisPoints;
  const basisPoints = count === 1 ? once : count <= 6 ? few : count <= 12 ? some : many;
  return fees.cardFixedMinor + (totalMinor * basisPoints + 5_000n) / 10_000n;
}
