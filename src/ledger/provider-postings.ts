import type { LedgerEntryKind } from "./entities.ts";
import { credit, debit, type Account, type Line } from "./postings.ts";

/** What a card provider makes of an installment, apart from the payment's price. */
export type ProviderEntryKind = Extract<
  LedgerEntryKind,
  "receivable" | "provider_fee" | "anticipation" | "payout" | "chargeback" | "refund_deduction"
>;

/** What an amount of each kind moves: from the second account to the first. */
const MOVES: Readonly<Record<ProviderEntryKind, readonly [debited: Account, credited: Account]>> = {
  receivable: ["provider_receivable", "provider_clearing"],
  provider_fee: ["provider_fee", "provider_receivable"],
  anticipation: ["provider_fee.anticipation", "provider_receivable"],
  payout: ["provider_balance", "provider_receivable"],
  // The money waits where the entry of a return takes it from, or goes back from there when the contest is won.
  chargeback: ["provider_clearing", "provider_receivable"],
  refund_deduction: ["provider_clearing", "provider_receivable"],
};

/** Returns the lines of an amount in centavos of BRL. One below 0 takes back what an earlier entry booked. */
export function providerLines(kind: ProviderEntryKind, amountMinor: bigint): Line[] {
  const [debited, credited] = MOVES[kind];
  return amountMinor < 0n
    ? [debit(credited, "BRL", -amountMinor), credit(debited, "BRL", -amountMinor)]
    : [debit(debited, "BRL", amountMinor), credit(credited, "BRL", amountMinor)];
}
