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

/** One movement of an account, as its provider states it. */
export interface StatementLine {
  /** The provider's own id of the movement; where it has none, one made of what it says that never changes. */
  readonly id: string;
  readonly kind: LineKind;
  /** Centavos, signed: + came in, - went out. */
  readonly amountMinor: bigint;
  readonly currency: "BRL";
  /** Day of São Paulo on which it is booked. */
  readonly day: string;
  /** Null: the provider says a day alone. */
  readonly at: Date | null;
  /** Our reference of the charge (txid, order code, external reference); null: it names none. */
  readonly reference: string | null;
  readonly endToEndId: string | null;
  /** The provider's own id of the money or charge that it is about. */
  readonly providerPaymentId: string | null;
  readonly installment: number | null;
  /** The payout in which it was, by the provider's own id. */
  readonly settlementId: string | null;
  /** The provider's own type and text, for people. */
  readonly text: string;
  /** What the provider says the balance is after it; null: it does not. */
  readonly balanceMinor: bigint | null;
  /** The line as it came, for its hash. */
  readonly raw: string;
}

/** Balance of an account at the begin and end of a day; null: the provider says none. */
export interface DayBalance {
  readonly openingMinor: bigint | null;
  readonly closingMinor: bigint | null;
}

/** An account's statement by days. Throws ProviderFault. `lines` begins anew by itself when pages drift; after three times it throws. */
export interface AccountStatement {
  /** False: the provider has no balance, so that a day cannot be carried. */
  readonly hasBalance: boolean;
  lines(day: string, signal?: AbortSignal): AsyncIterable<StatementLine>;
  balance(day: string, signal?: AbortSignal): Promise<DayBalance>;
}
