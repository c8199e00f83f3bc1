import type { CallAudit } from "../platform/audit-entry.ts";
import type { Call } from "../platform/call.ts";

/**
 * A request to a provider to charge a payer. The service chooses `reference`: two requests with the same one charge
 * once.
 */
export interface ChargeRequest {
  readonly tenantId: string;
  readonly reference: string;
  readonly amountMinor: bigint;
  readonly merchantName: string;
  readonly expiresAt: Date;
  /** The call that charges: the sandbox records its own rows in the audit log too. */
  readonly audit: CallAudit | undefined;
}

/** Money that a provider received. */
export interface ProviderReceipt {
  /** The provider's own id of the money. */
  readonly providerPaymentId: string;
  readonly amountMinor: bigint;
  readonly paidAt: Date;
}

/** A provider's state of a PIX charge. */
export type PixState =
  | { readonly status: "waiting" }
  | { readonly status: "paid"; readonly receipt: ProviderReceipt }
  | { readonly status: "rejected"; readonly reason: string };

/** A PIX provider. Each function may throw: the outcome is then unknown, and the provider is asked again. */
export interface PixProvider {
  /** Returns the BR Code, with exactly the requested amount. */
  createCharge(request: ChargeRequest): Promise<{ readonly code: string }>;
  find(tenantId: string, reference: string): Promise<PixState>;
}

/** A provider's state of a card charge. `reason` is the provider's own code, for internal use only. */
export type CardState =
  | { readonly status: "unknown" }
  | { readonly status: "challenge"; readonly url: string }
  | { readonly status: "approved"; readonly receipt: ProviderReceipt }
  | { readonly status: "declined"; readonly reason: string };

export interface CardRequest extends ChargeRequest {
  readonly installments: number;
  /** The token of the provider's own card form. The service never sees the card's data. */
  readonly token: string;
  /** The page to which the card holder returns after a challenge. */
  readonly returnUrl: string;
}

/** A card provider. Each function may throw: the outcome is then unknown, and `find` is called later. */
export interface CardProvider {
  /** The maximum number of installments. */
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

/** The providers of one mode. A method without a provider is not offered. */
export interface Providers {
  readonly pix?: PixProvider;
  readonly card?: CardProvider;
  readonly bankAccount?: BankAccount;
  /** Test mode only: makes the sandbox act as a bank or a card holder. */
  readonly simulator?: Simulator;
}

export type SimulatedAction = "approve" | "decline";

export interface Simulator {
  act(call: Pick<Call, "tenantId" | "audit">, reference: string, action: SimulatedAction): Promise<void>;
}
