/** What is asked of a provider to be paid. `reference` is ours: asked twice with the same one, it charges once. */
export interface ChargeRequest {
  readonly tenantId: string;
  readonly reference: string;
  readonly amountMinor: bigint;
  readonly merchantName: string;
  readonly expiresAt: Date;
}

/** Money that a provider took. */
export interface ProviderReceipt {
  /** The provider's own id of the money. */
  readonly providerPaymentId: string;
  readonly amountMinor: bigint;
  readonly paidAt: Date;
}

/** What a provider knows of a PIX charge. */
export type PixState =
  | { readonly status: "waiting" }
  | { readonly status: "paid"; readonly receipt: ProviderReceipt }
  | { readonly status: "rejected"; readonly reason: string };

/** Takes PIX. Each function may throw: then nothing is known, and it is asked again. */
export interface PixProvider {
  /** Answers the BR Code, with exactly the amount in it. */
  createCharge(request: ChargeRequest): Promise<{ readonly code: string }>;
  find(tenantId: string, reference: string): Promise<PixState>;
}

/** What a provider knows of a card charge. `reason` is its own word, for our eyes only. */
export type CardState =
  | { readonly status: "unknown" }
  | { readonly status: "challenge"; readonly url: string }
  | { readonly status: "approved"; readonly receipt: ProviderReceipt }
  | { readonly status: "declined"; readonly reason: string };

export interface CardRequest extends ChargeRequest {
  readonly installments: number;
  /** What the provider's own fields gave for the card's data, which we never see. */
  readonly token: string;
  /** Where the card holder comes back to after a challenge. */
  readonly returnUrl: string;
}

/** Takes cards. Each function may throw: then nothing is known, and `find` is asked later. */
export interface CardProvider {
  /** The most installments that it takes. */
  readonly maxInstallments: number;
  authorize(request: CardRequest): Promise<CardState>;
  find(tenantId: string, reference: string): Promise<CardState>;
}

export interface BankAccount {
  readonly bank: string;
  readonly branch: string;
  readonly account: string;
  readonly holder: string;
  readonly document: string;
}

/** Who takes what in one mode. What is absent is not offered. */
export interface Providers {
  readonly pix?: PixProvider;
  readonly card?: CardProvider;
  readonly bankAccount?: BankAccount;
  /** Test mode alone: makes the sandbox do what a bank or a card holder would. */
  readonly simulator?: Simulator;
}

export type SimulatedAction = "approve" | "decline";

export interface Simulator {
  act(tenantId: string, reference: string, action: SimulatedAction): Promise<void>;
}
