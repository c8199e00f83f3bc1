import type { Caller } from "../platform/rpc/caller.ts";
import type { Change } from "../platform/write/change.ts";
import type { AccountStatement } from "./account-statement.ts";
import type { CardProvider } from "./card-port.ts";
import type { PayerField, PixProvider, ProviderReceipt, ProviderReturn, RefundRequest } from "./ports.ts";

export interface BankAccount {
  readonly bank: string;
  readonly branch: string;
  readonly account: string;
  readonly holder: string;
  readonly document: string;
}

/** The providers of one tenant in one mode. A method without a provider is not offered. */
export interface Providers {
  readonly pix?: PixProvider;
  readonly card?: CardProvider;
  readonly bankAccount?: BankAccount;
  /** True: the account is at a bank on the service's own machine, which moves no real money. */
  readonly isDemo?: boolean;
  /** Test mode only: what the sandbox states of the tenant's money. An account of live mode has its own. */
  readonly accountStatement?: AccountStatement;
  /** Test mode only: makes the sandbox act as a bank, a card holder or a card provider. */
  readonly simulator?: Simulator;
}

/** Returns what a payer must give to pay by a method. */
export function payerFieldsOf({ pix, card }: Providers, method: string): readonly PayerField[] {
  if (method === "pix") return pix?.payerFields ?? [];
  return method === "card" ? (card?.terms.payerFields ?? []) : [];
}

/** Finds the providers of a mode's tenants. */
export interface ProviderDirectory {
  /** Returns the providers for new charges. */
  offered(caller: Pick<Caller, "tenantId" | "mode">): Promise<Providers>;
  /**
   * Returns the providers of existing charges that were made with an account, which may be retired. A method is missing
   * if the account does not exist.
   */
  ofAccount(caller: Pick<Caller, "tenantId" | "mode">, accountId: string | null): Promise<Providers>;
}

export type SimulatedAction = "approve" | "decline";

/** A refund of a payment that simulate_payment made, of which the sandbox has no charge. */
export type SimulatedRefund = Pick<RefundRequest, "refundId" | "amountMinor" | "requestedAt">;

/**
 * What happens to the money of a simulated payment afterwards. "returned": its provider takes it back. "return_reversed": and
 * gives it again. "disputed": the card's holder contests it. "dispute_won", "dispute_lost": and the contest ends.
 */
export type Aftermath = "returned" | "return_reversed" | "disputed" | "dispute_won" | "dispute_lost";

/** A simulated payment that the sandbox is to have as a paid charge. */
export interface SimulatedCharge {
  readonly reference: string;
  readonly amountMinor: bigint;
  readonly installments: number;
  readonly aftermath: Aftermath;
  readonly paidAt: Date;
}

export interface Simulator {
  act(reference: string, action: SimulatedAction): Promise<void>;
  /** Returns the changes by which the sandbox has the charge as paid, and the receipt of its money. */
  pay(charge: SimulatedCharge): Promise<{ readonly receipt: ProviderReceipt; readonly changes: Change[] }>;
  /** Returns what becomes of the refund. It keeps nothing. */
  refundSimulated(refund: SimulatedRefund): ProviderReturn;
}
