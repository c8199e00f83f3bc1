import type { LineKind, StatementLine } from "../../providers/account-statement.ts";

/** What the fee of one movement depends on. */
interface FeeTerms {
  /** The kind of payment as the contract names it: `pix`, `card`, `boleto`. */
  readonly kind: string;
  /** The card's brand; null: it has none. */
  readonly brand: string | null;
  /** In how many installments the payment was made, from 1. */
  readonly installments: number;
}

/** One row of the fees that an account has agreed with its provider. */
export interface ContractedFee {
  readonly kind: string;
  /** Null: every brand that has no row of its own. */
  readonly brand: string | null;
  /** For payments of so many installments, both inclusive. */
  readonly installmentsFrom: number;
  readonly installmentsTo: number;
  /** The share of each movement, in millionths, half a centavo rounded up. */
  readonly percentPpm: bigint;
  /** Centavos for each payment: of installments, charged with the first. */
  readonly fixedMinor: bigint;
}

/** What our books say of one movement of a provider account. */
export interface OurLine {
  /** E.g. `payment pay_x`, `refund rfd_x`. No two lines have the same. */
  readonly id: string;
  readonly accountId: string;
  readonly kind: LineKind;
  /** Day of São Paulo, YYYY-MM-DD, as every day here. */
  readonly day: string;
  /** Centavos, signed, as every amount here: + came in, - went out. */
  readonly amountMinor: bigint;
  readonly paymentId: string | null;
  readonly reference: string | null;
  readonly endToEndId: string | null;
  readonly providerPaymentId: string | null;
  readonly installment: number | null;
  /** The last day on which the provider is expected to book it. Until it the line is in transit. */
  readonly dueOn: string;
  /** What its contracted fee depends on; null: it has no fee of its own. */
  readonly terms: FeeTerms | null;
}

/** A line of a provider's statement. */
export interface TheirLine extends StatementLine {
  readonly accountId: string;
  /** The last day on which the bank is expected to book it, as the provider names it; its own day if it names none. */
  readonly dueOn: string;
}

/** A line of a bank's file. */
export interface BankLine {
  readonly id: string;
  readonly bankAccountId: string;
  readonly day: string;
  readonly amountMinor: bigint;
  readonly text: string;
  /** FITID or document number; "": the file has none. */
  readonly bankId: string;
}

/**
 * How an account's money reaches the bank: by `transfer` lines; by `settlement` (all lines of one settlement id as one
 * bank line, without a line of its own); by `line` (the account is the bank account: each line is one there, too).
 */
export type BankPath = "transfer" | "settlement" | "line";

export interface Account {
  readonly id: string;
  /** Null: its bank lines are not imported, and nothing is compared with them. */
  readonly bank: { readonly accountId: string; readonly path: BankPath } | null;
  readonly fees: readonly ContractedFee[];
  /** The last day up to which its statement is complete; a line is not missing there before. Null: none is. */
  readonly statedUntil: string | null;
  /** The last day up to which its bank account's lines are imported. */
  readonly bankedUntil: string | null;
}

/** Lines of the three sides. */
export interface Lines {
  readonly ours: readonly OurLine[];
  readonly theirs: readonly TheirLine[];
  readonly bank: readonly BankLine[];
}

/** Lines without a match. A statement line can be open towards our books (`theirs`) and towards the bank (`payouts`). */
export interface OpenLines extends Lines {
  readonly payouts: readonly TheirLine[];
}

/** What is compared: our books with the statement, or the statement with the bank. */
export type Leg = "books" | "bank";

/** A person's word on lines of one leg, each by its key: they belong together, or their difference is explained. */
export interface Decision {
  readonly id: string;
  readonly leg: Leg;
  readonly reason: string;
  readonly lineKeys: readonly string[];
}

/** Why lines belong together. */
export type Rule =
  | "decided"
  | "end_to_end_id"
  | "reference"
  | "settlement_id"
  | "amount_and_day"
  | "sum_of_lines"
  | "day_total";

/** Lines on each side; the side that a leg does not compare is empty. */
export interface Sides {
  readonly leg: Leg;
  readonly ours: readonly OurLine[];
  readonly theirs: readonly TheirLine[];
  readonly bank: readonly BankLine[];
}

/** Lines that belong together. In each leg a line is in one match at most. */
export interface Match extends Sides {
  readonly rule: Rule;
  /** True: its sides are of different days, so that it is in columns of two days. No difference of money. */
  readonly isMoved: boolean;
  /** The decision that made it. */
  readonly decisionId: string | null;
}

export type DifferenceKind =
  | "missing_here"
  | "missing_there"
  | "amount_differs"
  | "fee_differs"
  | "doubled"
  | "in_transit"
  | "decided";

/** Lines that are not even. */
export interface Difference extends Sides {
  readonly kind: DifferenceKind;
  readonly day: string;
  /** Null: bank lines that belong to no account's line. */
  readonly accountId: string | null;
  /** What the statement has more than our books, or the bank more than the statement. */
  readonly amountMinor: bigint;
  /** A fee by the contract, and as charged: signed as lines are. Null: it is about no fee. */
  readonly fee: { readonly expectedMinor: bigint; readonly chargedMinor: bigint } | null;
  /** The day until which it is in transit. */
  readonly dueOn: string | null;
  /** Of a decision. */
  readonly reason: string | null;
}

export function ourKey({ id }: Pick<OurLine, "id">): string {
  return `ours ${id}`;
}

/** Returns the key of a statement line, which is known by its account, kind and the provider's id. */
export function theirKey({ accountId, kind, id }: Pick<TheirLine, "accountId" | "kind" | "id">): string {
  return `theirs ${accountId} ${kind} ${id}`;
}

export function bankKey({ bankAccountId, id }: Pick<BankLine, "bankAccountId" | "id">): string {
  return `bank ${bankAccountId} ${id}`;
}
