import type { PaidCard } from "./card-brand.ts";
import type { ProviderFault } from "./provider-fault.ts";

/** What a provider may need to know of a payer. */
export type PayerField = "name" | "email" | "document" | "phone" | "address";

/** A payer's address. The complement may be empty; the postal code has 8 digits. */
export type PayerAddress = Readonly<
  Record<"postal_code" | "street" | "number" | "complement" | "district" | "city" | "state", string>
>;

/** The payer as a provider may need to know them. Only the account's fields are there. */
export interface ProviderPayer extends Readonly<Partial<Record<Exclude<PayerField, "address">, string>>> {
  readonly address?: PayerAddress;
}

/**
 * How many refunds a payment's money has at most, and how many all money beside it that was no success. What a provider says
 * of a charge has them all.
 */
export const REFUNDS_MAX = 100;

/** A request to a provider to charge a payer. `reference` is ours: two requests with the same one charge once. */
export interface ChargeRequest {
  readonly reference: string;
  readonly amountMinor: bigint;
  readonly merchantName: string;
  /** What is paid for, as the payer's bank shows it. */
  readonly description: string | null;
  readonly expiresAt: Date;
  /** True: an earlier request may have reached the provider. */
  readonly isRepeated: boolean;
  /** Absent: the account needs nothing. */
  readonly payer?: ProviderPayer;
  /** Ends the request's calls before their time. */
  readonly signal?: AbortSignal;
}

/** How a provider is asked about a charge. */
export interface Asking {
  readonly signal?: AbortSignal | undefined;
  /** True: neither a payer nor news waits for the answer. Where few calls are left, the fault is "busy". */
  readonly isPeriodic?: boolean;
  /** True: a payer waits who has asked about the charge before. Where not many calls are left, the fault is "busy". */
  readonly isRepeated?: boolean;
  /**
   * The provider's own ids of charges that callbacks named, which its lists may not have. One that is not of this charge by
   * the provider's own word changes nothing.
   */
  readonly callbackIds?: readonly string[];
  /** True: there is news of money under the charge's reference. It may be of a twin, also where the charge was withdrawn. */
  readonly isOfMoney?: boolean | undefined;
}

/** What became of the ids that callbacks named. */
export interface CallbackCharges {
  /** Those of money under our reference that no list has. */
  readonly ids: readonly string[];
  /** What kept the provider from being asked about others; null: nothing. The rest of the answer is complete without them. */
  readonly fault: ProviderFault | null;
}

/** Money that a provider received. */
export interface ProviderReceipt {
  /** The provider's own id of the money; with PIX its endToEndId. */
  readonly providerPaymentId: string;
  readonly amountMinor: bigint;
  readonly paidAt: Date;
  /** With PIX its endToEndId where the provider has another id of its own for the money; absent: it is not known. */
  readonly endToEndId?: string;
  /** With a card; absent: it is not known. */
  readonly card?: PaidCard;
  /** The payer's name as their bank gives it, at most 200 characters; absent: it is not known. */
  readonly payerName?: string;
}

/** Money of a receipt that went back to its payer, by our request or by the provider's own decision. */
export interface ProviderReturn {
  /** Our refund's id, or the provider's own id of a return that it made itself. */
  readonly id: string;
  readonly providerPaymentId: string;
  readonly amountMinor: bigint;
  /** What was asked for beyond the amount, and denied; absent: nothing. */
  readonly deniedMinor?: bigint;
  readonly status: RefundStatus;
  /**
   * True: the provider may carry one request out more than once. What it reports beyond the amount that was asked for went
   * back, too. Absent: that would contradict the request.
   */
  readonly mayExceed?: true;
  /** True: the provider keeps no id of ours, so that it may be one of our refunds of this amount. */
  readonly isUnnamed?: true;
  /** The provider's own reason. It is for internal use only. */
  readonly reason: string | null;
  readonly requestedAt: Date;
  /** Null until it is final. */
  readonly endedAt: Date | null;
  /** True: the provider does not say when it ended, and `endedAt` is when that was seen. Absent: it says so. */
  readonly isUntimed?: true;
}

export type RefundStatus = "processing" | "succeeded" | "failed";

/** A PIX charge's code as its provider issued it. It is not checked yet: `checkedCode` does that. */
export interface PixCode {
  /** The BR Code; null if the provider gives only the location. */
  readonly code: string | null;
  /** The URL of the charge for the payer's bank, without its scheme; null if the provider gives only the code. */
  readonly location: string | null;
  /** The provider's own id of the charge whose code it is; absent: it has none beside our reference. */
  readonly chargeId?: string;
}

/** A provider's state of a PIX charge. One charge may have received money several times. */
export interface PixState {
  /** "absent": the provider knows no such charge. "removed": the provider withdrew it. */
  readonly status: "absent" | "waiting" | "removed" | "rejected";
  /** The provider's own reason of a rejection. */
  readonly reason?: string;
  readonly receipts: readonly ProviderReceipt[];
  readonly returns: readonly ProviderReturn[];
  /** Absent: the provider's lists have all charges. */
  readonly ofCallbacks?: CallbackCharges;
}

/** Money of an account's statement. */
export interface ReceivedMoney extends ProviderReceipt {
  /** The reference that the payer's bank sent with it. It may be of no charge of ours. */
  readonly reference: string | null;
  readonly returns: readonly ProviderReturn[];
}

/** A period, both ends included. */
export interface ReceivedIn {
  readonly from: Date;
  readonly to: Date;
}

/** What a callback refers to. It is a hint: what it says of money is not read. */
export interface CallbackReference {
  readonly reference: string | null;
  readonly providerPaymentId: string | null;
  /** The provider's own id of a charge which its lists may not have; absent: the reference finds all. */
  readonly chargeId?: string;
  /** True: it has no reference of ours, and the charge is the one that has the money of this id. */
  readonly isOfKnownMoney?: true;
  /** Absent: it tells of none. No list has it, so that it is read of the callback. */
  readonly block?: BalanceBlock;
}

/** The money of a PIX payment that its provider holds back, as its payer contests it (MED), or frees again. */
export interface BalanceBlock {
  /** The provider's own id of this news. */
  readonly id: string;
  readonly providerPaymentId: string;
  /** True: it is held back. */
  readonly isHeld: boolean;
  readonly amountMinor: bigint;
  /** The provider's own code of the reason. */
  readonly reason: string;
  /** A day of São Paulo, YYYY-MM-DD; null: the provider names none. */
  readonly on: string | null;
}

/** A request to give a receipt's money back. */
export interface RefundRequest {
  readonly refundId: string;
  readonly providerPaymentId: string;
  readonly amountMinor: bigint;
  readonly reason: string | null;
  /** When it was asked for first. */
  readonly requestedAt: Date;
  /** A provider that keeps no id of ours tells the refund from these. */
  readonly others?: readonly OtherRefund[];
}

/** A question about a request to give money back, which may have been made. */
export type RefundLookup = Omit<RefundRequest, "reason">;

/** Another refund or return of the same money and of the same amount. */
export interface OtherRefund {
  readonly id: string;
  /** The provider's own id of a return; null: it is a refund of ours. */
  readonly providerReturnId: string | null;
  readonly status: RefundStatus | "requested";
  readonly requestedAt: Date;
}

/** Gives money back. Neither function compares amounts. */
export interface Refunding {
  /** True: two requests with one `refundId` give back once. Absent: one that may have left must not be repeated. */
  readonly isRefundIdempotent?: true;
  /**
   * Returns what the provider has under the refund's id, of an earlier request, too. A refusal by ProviderFault is not
   * certain: the provider may have carried the request out all the same.
   */
  refund(request: RefundRequest): Promise<ProviderReturn>;
  /** Returns undefined if the provider does not have it, or not yet. */
  findRefund(request: RefundLookup): Promise<ProviderReturn | undefined>;
}

/** Lists an account's money in periods. */
export interface Statement {
  /**
   * Yields the money that the account received in a period, in any order, while it is read. Throws
   * ProviderFault: `statement_too_large` if a provider has more than a statement can hold.
   */
  received(period: ReceivedIn, signal?: AbortSignal): AsyncIterable<ReceivedMoney>;
  /** Yields the money received in a period of which something was given back since. */
  returned(period: ReceivedIn, signal?: AbortSignal): AsyncIterable<ReceivedMoney>;
}

/** Lists which of an account's money came in or has moved back, where the provider's list of it has no references. */
export interface ReturnList {
  /**
   * Yields the ids of the money of which something was taken back in a period, or given back to the merchant, each once
   * or more. Throws ProviderFault.
   */
  movedBack(period: ReceivedIn, signal?: AbortSignal): AsyncIterable<string>;
  /** Yields the ids of the money that came in during a period, each once or more. Throws ProviderFault. */
  cameIn(period: ReceivedIn, signal?: AbortSignal): AsyncIterable<string>;
}

/**
 * A PIX provider, for one account. Each function throws ProviderFault if the provider refuses or its answer is not
 * known, and can then be called again with the same arguments.
 */
export interface PixProvider extends Refunding, Statement {
  /** The account's id; null in test mode. It is stored on each charge. */
  readonly accountId: string | null;
  /** What the payer must give; absent: nothing. */
  readonly payerFields?: readonly PayerField[];
  /** What a charge says of a payer who gave it; absent: nothing. */
  readonly optionalPayerFields?: readonly PayerField[];
  /** The least amount of a charge, in centavos; absent: any. */
  readonly leastMinor?: bigint;
  /** True: a charge can be paid long after its session, until it is removed. Absent: it expires with the session. */
  readonly outlivesSession?: true;
  /** Creates the charge, or finds the one that exists by this reference. */
  createCharge(request: ChargeRequest): Promise<PixCode>;
  /** `chargeId`: that of the code which the payer sees; null or absent: it has none. */
  find(reference: string, asking?: Asking, chargeId?: string | null): Promise<PixState>;
  /** Withdraws a charge. A payment that is under way at the payer's bank may still arrive. */
  cancel(reference: string, chargeId?: string | null): Promise<void>;
  /** Returns what a callback's body refers to; nothing of a body of another form. Never throws. */
  readCallback(body: string): readonly CallbackReference[];
}
