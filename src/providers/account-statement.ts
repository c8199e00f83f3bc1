/** What a line is of. "other": a type that is not known here, and no line is dropped for that. */
export const LINE_KINDS = [
  "received",
  "return",
  "refund",
  "fee",
  "installment",
  "anticipation",
  "chargeback",
  "transfer",
  "blocked",
  "other",
] as const;
export type LineKind = (typeof LINE_KINDS)[number];

/**
 * One movement of an account, as its provider states it. A row of the provider's may be several: an installment and its fee
 * have one id and two kinds.
 */
export interface StatementLine {
  /** The provider's own id of the movement; where it has none, one made of what it says that never changes. */
  readonly id: string;
  readonly kind: LineKind;
  /** Centavos, signed: + came in, - went out. */
  readonly amountMinor: bigint;
  readonly currency: "BRL";
  /** The day of São Paulo on which it is booked, YYYY-MM-DD. */
  readonly day: string;
  /** Null: the provider says a day alone. */
  readonly at: Date | null;
  /** Our reference of the charge, such as its txid; null: it names none. */
  readonly reference: string | null;
  readonly endToEndId: string | null;
  /** The provider's own id of the money or charge that it is about; null: it names none. */
  readonly providerPaymentId: string | null;
  readonly installment: number | null;
  /** The payout in which it was, by the provider's own id; null: it names none. */
  readonly settlementId: string | null;
  /** The provider's own type, for people. It has no payer's data. */
  readonly text: string;
  /** Centavos that the provider says are there after it; null: it does not say. */
  readonly balanceMinor: bigint | null;
  /** The line as it came, for its hash alone: it may have a payer's data. */
  readonly raw: string;
}

/** Centavos of an account at the begin and the end of a day; null: the provider says none. */
export interface DayBalance {
  readonly openingMinor: bigint | null;
  /** Of a day that is not over: what is there by now. */
  readonly closingMinor: bigint | null;
}

/** An account's statement by days of São Paulo, each YYYY-MM-DD. */
export interface AccountStatement {
  /** False: the provider has no balance, so that a day cannot be carried. */
  readonly hasBalance: boolean;
  /** False: a day can be read once it is over. */
  readonly hasToday: boolean;
  /**
   * Yields the lines of a day while it is read, each once, in any order. Throws ProviderFault: `shifting_pages` if the
   * pages went on shifting, `day_not_over`, `report_not_ready`. What was yielded before a fault is right, and not all.
   */
  lines(day: string, signal?: AbortSignal): AsyncIterable<StatementLine>;
  /** Throws ProviderFault. */
  balance(day: string, signal?: AbortSignal): Promise<DayBalance>;
}
