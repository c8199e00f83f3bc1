import type { Currency } from "./fee-rule.ts";

/** The part of a payment intent that a quote prices. */
export interface PricedIntent {
  readonly id: string;
  readonly legalEntityId: string;
  readonly amountMinor: bigint;
  readonly currency: Currency;
  readonly settlementTerm: string;
  readonly feeStrategy: Record<string, unknown> | null;
}
