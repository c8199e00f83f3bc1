import { insertAll, type Change } from "../platform/write/change.ts";
import { LedgerEntry, LedgerLine, type PaymentRow } from "./entities.ts";
import { providerLines, type ProviderEntryKind } from "./provider-postings.ts";

/** An amount of a kind that a card provider said of an installment, in centavos. It is not 0. */
export interface ProviderMoney {
  readonly kind: ProviderEntryKind;
  readonly installment: number;
  /** Which amount of this kind and installment it is, from 1 on. */
  readonly number: number;
  readonly amountMinor: bigint;
}

/** Returns the changes that book what a provider said of a payment's installments: an entry for each amount. */
export function bookProviderMoney(
  { tenantId, id: paymentId }: Pick<PaymentRow, "tenantId" | "id">,
  moneys: readonly ProviderMoney[],
  bookedAt: Date,
): Change[] {
  if (moneys.length === 0) return [];
  const entries = moneys.map((money) => ({
    tenantId,
    paymentId,
    kind: money.kind,
    sourceId: sourceIdOf(money),
    bookedAt,
  }));
  const lines = moneys.flatMap((money, index) =>
    providerLines(money.kind, money.amountMinor).map((line, position) => ({
      ...line,
      tenantId,
      paymentId,
      kind: money.kind,
      sourceId: entries[index]?.sourceId ?? "",
      number: position + 1,
    })),
  );
  return [insertAll(LedgerEntry, entries), insertAll(LedgerLine, lines)];
}

function sourceIdOf({ installment, number }: ProviderMoney): string {
  return `${String(installment).padStart(2, "0")}.${number}`;
}
