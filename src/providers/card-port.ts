import type { CardBrand } from "./card-brand.ts";
import type { Decline, KnownCard } from "./decline.ts";
import type {
  Asking,
  CallbackReference,
  ChargeRequest,
  PayerField,
  ProviderPayer,
  ProviderReceipt,
  ProviderReturn,
  Refunding,
  CallbackCharges,
} from "./ports.ts";

/**
 * How a card reaches its provider. "token": the provider's form on our page gives a token for it. "redirect": the payer
 * types it on the provider's own page.
 */
export type CardStyle = "token" | "redirect";

/** What an account can charge by card. */
export interface CardTerms {
  readonly style: CardStyle;
  /** The maximum number of installments by brand; "other": of the brands that are not named. */
  readonly installments: Readonly<Partial<Record<CardBrand, number>>> & { readonly other: number };
  /** The least amount of an installment, in centavos. */
  readonly leastInstallmentMinor: bigint;
  /** What the payer must give. */
  readonly payerFields: readonly PayerField[];
  /** With style "token": where the payer's browser gets the token by a POST. Absent: tokens are the sandbox's. */
  readonly tokenUrl?: string;
}

export interface CardRequest extends ChargeRequest {
  readonly installments: number;
  /** With style "token": the token of the provider's own card form. The service never sees the card's data. */
  readonly token: string | null;
  readonly payer: ProviderPayer;
  /** The page to which the card holder returns from the provider or the issuer. */
  readonly returnUrl: string;
}

/** A charge as its provider may know it. */
export interface ChargeName {
  /** Ours. */
  readonly reference: string;
  /** The provider's own, as `authorize` or `find` returned it; null: they did not. */
  readonly chargeId: string | null;
  /** True: the provider has said that it was withdrawn. */
  readonly isRemoved?: boolean;
  /** True: some of its money is known to have gone back. It may have come back since. */
  readonly hasReturns?: boolean;
}

/** A provider's state of a card charge. Its money counts in any status, and one charge may have received it twice. */
export interface CardState {
  readonly progress: CardProgress;
  /** The provider's own id of the charge; null: it has none. */
  readonly chargeId: string | null;
  readonly receipts: readonly ProviderReceipt[];
  readonly returns: readonly ProviderReturn[];
  /** Absent: the provider's lists have all charges. */
  readonly ofCallbacks?: CallbackCharges;
}

/**
 * "absent": the provider knows no such charge, or not yet. "challenge": the payer goes on at the address, the issuer's or
 * the provider's page. "processing": the provider reviews the charge, which may take days. "approved": all its money is
 * among the receipts. "declined" and "canceled" are final.
 */
export type CardProgress =
  | { readonly status: "absent" | "processing" | "approved" | "canceled" }
  | { readonly status: "challenge"; readonly url: string }
  | { readonly status: "declined"; readonly decline: Decline };

/**
 * What a provider says of one installment's money as it is now. Amounts are in centavos and never negative, days are of
 * São Paulo, YYYY-MM-DD. gross = net + fee + anticipation fee.
 */
export interface InstallmentFacts {
  /** 1 to the charge's number of installments. */
  readonly installment: number;
  /** What the payer pays by it. The installments of a charge sum up to its price. */
  readonly grossMinor: bigint;
  /** The provider's own fee on it. */
  readonly feeMinor: bigint;
  /** What the provider keeps for paying it before its day. */
  readonly anticipationFeeMinor: bigint;
  /** What the merchant gets of it if nothing goes back. */
  readonly netMinor: bigint;
  /** What the provider took off it for refunds that it made. */
  readonly refundedMinor: bigint;
  /** What the provider took off it for chargebacks: from the contest on, until the merchant has won. */
  readonly chargedBackMinor: bigint;
  /** The day on which it is expected in the merchant's balance at the provider; null: the provider names none. */
  readonly dueOn: string | null;
  /** The day on which it reached that balance; null: it did not. */
  readonly paidOn: string | null;
}

/** A contest of a payer, as its provider has it. */
export interface DisputeFacts {
  /** The provider's own. */
  readonly id: string;
  /** 0: the charge as a whole. */
  readonly installment: number;
  readonly amountMinor: bigint;
  /** "needs_response": the merchant may still send documents. "under_review": others decide. The others are final. */
  readonly status: "needs_response" | "under_review" | "won" | "lost";
  /** The provider's own code of the reason, in capital letters; null: it gives none in this form. */
  readonly reason: string | null;
  /** A day of São Paulo, YYYY-MM-DD; null: the provider names none. */
  readonly openedOn: string | null;
  /** The last day for the merchant's documents; null: the provider names none. */
  readonly respondBy: string | null;
}

/** What a provider says of the money of a paid charge. */
export interface SettlementFacts {
  /** All installments; none: the provider does not have them yet. */
  readonly installments: readonly InstallmentFacts[];
  readonly disputes: readonly DisputeFacts[];
  /** How often money of contests came back that is of none of their amounts; absent: never. */
  readonly unmatchedCount?: number;
  /** True: contests could not be read. They are asked for again within a day. */
  readonly isIncomplete?: true;
}

/**
 * A card provider, for one account. Each function throws ProviderFault if the provider refuses or its answer is not
 * known. It can then be called again with the same arguments, except `authorize` with a token: its outcome is looked up.
 */
export interface CardProvider extends Refunding {
  readonly accountId: string | null;
  readonly terms: CardTerms;
  /** Makes the charge, or finds the one that exists by this reference. A fault "refused": there is none. */
  authorize(request: CardRequest): Promise<CardState>;
  find(name: ChargeName, asking?: Asking): Promise<CardState>;
  /** Withdraws what of a charge can still be paid, and returns what there is of it then: money may have been faster. */
  cancel(name: ChargeName): Promise<CardState>;
  /**
   * Withdraws what one `authorize` made beside another one, and nothing else of the charge. Absent: the next `find` does.
   */
  discard?(chargeId: string): Promise<void>;
  /** Returns the card of a token, or null if it is not known. Absent: a card has one token. Throws ProviderFault. */
  cardOf?(token: string): Promise<KnownCard | null>;
  /** Returns what a callback's body refers to; nothing of a body of another form. Never throws. */
  readCallback(body: string): readonly CallbackReference[];
  /**
   * Returns what became of the money of a paid charge, by the receipt's id. Absent: the provider says nothing of it.
   */
  settlementFacts?(providerPaymentId: string, signal?: AbortSignal): Promise<SettlementFacts>;
}

/** Returns the most installments that an account takes of some brand. */
export function mostInstallments({ installments }: CardTerms): number {
  return Math.max(...Object.values(installments));
}
