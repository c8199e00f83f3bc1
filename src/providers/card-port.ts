import type { CardBrand, Decline } from "./decline.ts";
import type {
  CallbackReference,
  ChargeRequest,
  ProviderReceipt,
  ProviderReturn,
  Refunding,
} from "./ports.ts";

/** What a provider may need to know of a payer. */
export type PayerField = "name" | "email" | "document";

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
}

/** The payer as a provider may need to know them. Only the account's fields are there. */
export type CardPayer = Readonly<Partial<Record<PayerField, string>>>;

export interface CardRequest extends ChargeRequest {
  readonly installments: number;
  /** With style "token": the token of the provider's own card form. The service never sees the card's data. */
  readonly token: string | null;
  readonly payer: CardPayer;
  /** The page to which the card holder returns from the provider or the issuer. */
  readonly returnUrl: string;
}

/** A charge as its provider may know it. */
export interface ChargeName {
  /** Ours. */
  readonly reference: string;
  /** The provider's own, as `authorize` or `find` told it; null: they did not. */
  readonly chargeId: string | null;
  /** True: the provider has told that it was withdrawn. */
  readonly isRemoved?: boolean;
}

/** How a provider is asked about a charge. */
export interface Asking {
  readonly signal?: AbortSignal | undefined;
  /** True: neither a payer nor news waits for the answer. Where few calls are left, the fault is "busy". */
  readonly isPeriodic?: boolean;
}

/** A provider's state of a card charge. Its money counts in any status, and one charge may have received it twice. */
export interface CardState {
  readonly progress: CardProgress;
  /** The provider's own id of the charge; null: it has none. */
  readonly chargeId: string | null;
  readonly receipts: readonly ProviderReceipt[];
  readonly returns: readonly ProviderReturn[];
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
 * A card provider, for one account. Each function throws ProviderFault if the provider refuses or its answer is not
 * known. It can then be called again with the same arguments, except `authorize` with a token: its outcome is looked up.
 */
export interface CardProvider extends Refunding {
  readonly accountId: string | null;
  readonly terms: CardTerms;
  /** True: the provider takes few more calls for now. */
  readonly isScarce?: boolean;
  /** Makes the charge, or finds the one that exists by this reference. A fault "refused": there is none. */
  authorize(request: CardRequest): Promise<CardState>;
  find(name: ChargeName, asking?: Asking): Promise<CardState>;
  /** Withdraws what of a charge can still be paid, and returns what there is of it then: money may have been faster. */
  cancel(name: ChargeName): Promise<CardState>;
  /** Returns what a callback's body refers to; nothing of a body of another form. Never throws. */
  readCallback(body: string): readonly CallbackReference[];
}

/** Returns the most installments that an account takes of some brand. */
export function mostInstallments({ installments }: CardTerms): number {
  return Math.max(...Object.values(installments));
}
