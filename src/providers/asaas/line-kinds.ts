import type { LineKind } from "../account-statement.ts";

// Asaas adds types without a word: one that is not named here is known by its form, or is kept as "other".
const KINDS: Readonly<Record<string, LineKind>> = {
  PAYMENT_RECEIVED: "received",
  PARTIAL_PAYMENT: "received",
  PIX_TRANSACTION_CREDIT: "received",
  PIX_TRANSACTION_CREDIT_REFUND: "return",
  PIX_TRANSACTION_CREDIT_REFUND_CANCELLATION: "return",
  PAYMENT_REVERSAL: "refund",
  PAYMENT_REFUND_CANCELLED: "refund",
  REFUND_REQUEST_CANCELLED: "refund",
  CHARGEBACK: "chargeback",
  CHARGEBACK_REVERSAL: "chargeback",
  TRANSFER: "transfer",
  TRANSFER_REVERSAL: "transfer",
  INTERNAL_TRANSFER_CREDIT: "transfer",
  INTERNAL_TRANSFER_DEBIT: "transfer",
  INTERNAL_TRANSFER_REVERSAL: "transfer",
  PIX_TRANSACTION_DEBIT: "transfer",
  PIX_TRANSACTION_DEBIT_REFUND: "transfer",
  BACEN_JUDICIAL_TRANSFER: "transfer",
  BACEN_JUDICIAL_LOCK: "blocked",
  BACEN_JUDICIAL_UNLOCK: "blocked",
  BALANCE_VALUE_BLOCKED: "blocked",
  BALANCE_VALUE_UNBLOCKED: "blocked",
  PAYMENT_CUSTODY_BLOCK: "blocked",
  PAYMENT_CUSTODY_BLOCK_REVERSAL: "blocked",
  CONTRACTUAL_EFFECT_SETTLEMENT: "blocked",
  CONTRACTUAL_EFFECT_SETTLEMENT_REVERSAL: "blocked",
  // Discounts of fees, and their end.
  FREE_PAYMENT_USE: "fee",
  PROMOTIONAL_CODE_CREDIT: "fee",
  PROMOTIONAL_CODE_DEBIT: "fee",
  CREDIT_BUREAU_REPORT: "fee",
};
// The money of an anticipation, what is taken off for it later, and its fee.
const ANTICIPATION = /^RECEIVABLE_ANTICIPATION_/;
const FEE = /_FEE(?:_|$)/;

/** Returns the kind of a type of Asaas's statement. */
export function lineKindOf(type: string): LineKind {
  if (Object.hasOwn(KINDS, type)) return KINDS[type] ?? "other";
  if (ANTICIPATION.test(type)) return "anticipation";
  return FEE.test(type) ? "fee" : "other";
}
