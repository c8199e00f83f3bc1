import type { RefundRow } from "./entities.ts";
import { newRefund } from "./new-refund.ts";
import { CHARGEBACK } from "./refund-state.ts";

/** What moves when a chargeback's money comes back. */
export interface Reversal {
  /** What of the chargeback was booked later, the last one first, and then the chargeback. */
  readonly back: readonly RefundRow[];
  /** Parts of other chargebacks that there is room for now. Each is a return of its own. */
  readonly rests: readonly RefundRow[];
  /** The chargebacks whose parts they are. */
  readonly lessened: readonly RefundRow[];
}

/**
 * Returns what moves when the money of `won` comes back: what of other chargebacks could not be booked takes its place
 * first, so that it never counts as money that can be refunded. `gone`: all returns of this money that did not come back,
 * the oldest first. `leftMinor`: what of the money had not left yet.
 */
export function reversalOf(
  won: RefundRow,
  gone: readonly RefundRow[],
  leftMinor: bigint,
  now: Date,
): Reversal {
  const ownRests = gone.filter(({ restOf }) => restOf === won.id).toReversed();
  const back = [...ownRests.map((row) => ({ ...row, reversedAt: now })), won];
  let roomMinor = back.reduce((sum, { amountMinor }) => sum + amountMinor, leftMinor);
  const rests: RefundRow[] = [];
  const lessened: RefundRow[] = [];
  for (const other of gone) {
    const amountMinor = other.unbookedMinor < roomMinor ? other.unbookedMinor : roomMinor;
    if (other.id === won.id || amountMinor <= 0n) continue;
    roomMinor -= amountMinor;
    rests.push(newRest(other, won, amountMinor, now));
    lessened.push({ ...other, unbookedMinor: other.unbookedMinor - amountMinor });
  }
  return { back, rests, lessened };
}

/** Returns a reversal of a payment's money with what had left without each of `back` and then of `rests`, as it is booked. */
export function booked(moves: Reversal, beforesMinor: readonly bigint[]): Reversal {
  const { back, rests, lessened } = moves;
  return {
    back: back.map((row, index) => ({ ...row, reversedBeforeMinor: beforesMinor[index] ?? null })),
    rests: rests.map((row, index) => ({ ...row, beforeMinor: beforesMinor[back.length + index] ?? null })),
    lessened,
  };
}

/** No provider names a return by this id. One reversal gives a chargeback one part. */
function newRest(of: RefundRow, won: RefundRow, amountMinor: bigint, now: Date): RefundRow {
  const { tenantId, paymentId, exceptionId, providerPaymentId, accountId, feeRule } = of;
  const given = { tenantId, paymentId, exceptionId, providerPaymentId, accountId, feeRule, amountMinor };
  const reported = {
    origin: "provider",
    providerReturnId: `${of.id} ${won.id}`,
    reason: CHARGEBACK,
  } as const;
  const row = newRefund({ ...given, ...reported, status: "succeeded", restOf: of.id }, now);
  return { ...row, updatedAt: now };
}
