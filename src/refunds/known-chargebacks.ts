import { secondsAfter } from "../platform/time/clock.ts";
import type { ProviderReturn } from "../providers/ports.ts";
import { isChargeback, namesChargeback } from "./refund-state.ts";
import type { KnownRefund } from "./repository.ts";

// A provider's clock and ours may differ by so much.
const CLOCKS_SECONDS = 300;

/**
 * Returns what a provider reports of a charge, its chargebacks under the ids by which they are known: a provider may give
 * them other ids later. A chargeback under an unknown id is a known one of the same money and amount that is not reported
 * any more, if it was made before that one was recorded. One that is won is looked for among those that are reversed, before
 * all others, and so is one that is not. Both are taken in one order, so that each report means the same.
 */
export function underKnownIds(
  returns: readonly ProviderReturn[],
  known: readonly KnownRefund[],
): ProviderReturn[] {
  const reported = new Set(returns.map(nameOf));
  const names = new Set(known.map(nameOfKnown));
  const left = known
    .filter((one) => isChargeback(one) && one.restOf == null && !reported.has(nameOfKnown(one)))
    .toSorted((one, other) => compare(one.id, other.id));
  const knownIds = new Map<ProviderReturn, string>();
  const unknown = returns
    .filter((one) => namesChargeback(one.reason) && !names.has(nameOf(one)))
    .toSorted((one, other) => compare(one.requestedAt, other.requestedAt) || compare(one.id, other.id));
  const take = (one: ProviderReturn, fits: (row: KnownRefund) => boolean): void => {
    if (knownIds.has(one)) return;
    const index = left.findIndex((row) => fits(row) && isSame(row, one, known));
    const [row] = index === -1 ? [] : left.splice(index, 1);
    if (row?.providerReturnId != null) knownIds.set(one, row.providerReturnId);
  };
  for (const one of unknown) take(one, (row) => (row.reversedAt != null) === (one.status === "failed"));
  for (const one of unknown) take(one, () => true);
  return returns.map((one) => ({ ...one, id: knownIds.get(one) ?? one.id }));
}

export function nameOf({ providerPaymentId, id }: ProviderReturn): string {
  return `${providerPaymentId} ${id}`;
}

export function nameOfKnown({ providerPaymentId, providerReturnId, id }: KnownRefund): string {
  return `${providerPaymentId} ${providerReturnId ?? id}`;
}

function isSame(row: KnownRefund, one: ProviderReturn, known: readonly KnownRefund[]): boolean {
  const rests = known.filter(({ restOf }) => restOf === row.id);
  const bookedMinor = [row, ...rests].reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  return (
    row.providerPaymentId === one.providerPaymentId &&
    bookedMinor + row.unbookedMinor === one.amountMinor &&
    one.requestedAt <= secondsAfter(row.createdAt, CLOCKS_SECONDS)
  );
}

function compare<Value extends string | Date>(one: Value, other: Value): number {
  return one < other ? -1 : Number(one > other);
}
