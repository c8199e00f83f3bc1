import type { Ids } from "../provider/ids.ts";

export type ChargeStatus =
  | "paid"
  | "pending"
  | "processing"
  | "failed"
  | "canceled"
  | "chargedback"
  | "underpaid"
  | "overpaid";

type OrderStatus = "paid" | "pending" | "failed" | "canceled";

type TransactionStatus =
  | "captured"
  | "authorized_pending_capture"
  | "not_authorized"
  | "with_error"
  | "failed"
  | "pending_review"
  | "refunded"
  | "partial_refunded"
  | "pending_refund"
  | "voided"
  | "chargedback";

export type Brand = "Visa" | "Mastercard" | "Elo" | "Amex" | "Hipercard";

export interface Card {
  readonly id: string;
  readonly brand: Brand;
  readonly first6: string;
  readonly last4: string;
  readonly holderName: string;
  readonly expMonth: number;
  readonly expYear: number;
}

/** What a card comes to. A code is the issuer's, of the card's brand. */
export interface Outcome {
  readonly kind: "paid" | "declined" | "processing" | "review" | "refused_by_antifraud" | "error";
  readonly code?: string;
}

/** A card in exchange for which the browser got a token. Its number is not kept. */
export interface Token {
  readonly id: string;
  readonly card: Card;
  readonly outcome: Outcome;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  isUsed: boolean;
}

export interface Transaction {
  readonly id: string;
  readonly gatewayId: string;
  readonly amountMinor: bigint;
  readonly installments: number;
  readonly operationType: "auth_and_capture" | "auth_only" | "capture" | "cancel";
  readonly statementDescriptor: string | null;
  readonly card: Card;
  readonly createdAt: Date;
  status: TransactionStatus;
  returnCode: string | null;
  message: string;
  antifraud: "approved" | "reproved" | "pending" | null;
}

export interface Charge {
  readonly id: string;
  readonly code: string;
  readonly order: Order;
  readonly amountMinor: bigint;
  readonly installments: number;
  readonly createdAt: Date;
  /** The last one is the present one. */
  readonly transactions: Transaction[];
  status: ChargeStatus;
  paidMinor: bigint;
  canceledMinor: bigint;
  updatedAt: Date;
  paidAt: Date | null;
  canceledAt: Date | null;
}

export interface Order {
  readonly id: string;
  readonly code: string;
  readonly amountMinor: bigint;
  readonly items: readonly Item[];
  readonly customer: Customer;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly charges: Charge[];
  status: OrderStatus;
  updatedAt: Date;
  /** Until then neither lists nor questions by its id find it. */
  hiddenUntil: Date | null;
}

export interface Item {
  readonly id: string;
  readonly amountMinor: bigint;
  readonly quantity: number;
  readonly description: string;
  readonly code: string | null;
}

export interface Customer {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly document: string | null;
  readonly type: string | null;
}

/** What a merchant gets, or loses, on a day. */
export interface Payable {
  readonly id: number;
  /** Its id in another form; absent: the digits of `id`. */
  otherId?: string;
  readonly charge: Charge;
  readonly type: "credit" | "refund" | "chargeback" | "chargeback_refund";
  readonly amountMinor: bigint;
  readonly feeMinor: bigint;
  readonly installment: number;
  readonly createdAt: Date;
  readonly originalOn: string;
  anticipationFeeMinor: bigint;
  paymentOn: string;
  /** The payout that it was in. */
  settlementId?: string;
}

/** What was paid out to the merchant's bank. */
export interface Settlement {
  readonly id: string;
  readonly amountMinor: bigint;
  readonly on: string;
  readonly status: "success" | "pending" | "failed";
}

export interface Hook {
  readonly id: string;
  readonly type: string;
  readonly url: string;
  readonly text: string;
  readonly createdAt: Date;
  status: "pending" | "sent" | "failed";
}

export interface AccountOptions {
  /** sk_test_... or sk_... */
  readonly secretKey: string;
  /** pk_test_... or pk_... */
  readonly publicKey: string;
  readonly name?: string;
  /** True: 24 installments and 22 characters on the statement, else 18 and 13. */
  readonly isGateway?: boolean;
  /** True: name, document, phone and address are demanded. */
  readonly isAntifraudOn?: boolean;
  /** The hosts whose pages may ask for tokens. Not given: any. */
  readonly domains?: readonly string[];
  /** In hundredths of a percent. */
  readonly feeBasisPoints?: bigint;
  /** Which installment has the centavos that a division leaves: no document says it. Not given: the first one. */
  readonly rest?: "first" | "last";
}

/** A contest of a card holder, as the API of disputes has it. */
export interface Dispute {
  readonly id: number;
  readonly charge: Charge;
  readonly amountMinor: bigint;
  readonly createdAt: Date;
  readonly deadline: Date;
  status: "WAITING_MERCHANT_EVIDENCES" | "WAITING_ISSUER" | "LOST" | "WON" | "DEADLINE_EXPIRED";
}

/** What the provider holds for one merchant. */
export interface Account extends Required<Omit<AccountOptions, "domains">> {
  readonly id: string;
  readonly domains: readonly string[] | null;
  readonly orders: Map<string, Order>;
  readonly charges: Map<string, Charge>;
  readonly tokens: Map<string, Token>;
  readonly payables: Payable[];
  readonly settlements: Settlement[];
  readonly hooks: Hook[];
  readonly disputes: Dispute[];
  /** The answers of 24 hours, by their keys. */
  readonly answered: Map<string, { readonly at: Date; readonly status: number; readonly text: string }>;
  /** Where news are posted; events not given: all. */
  hook: { readonly url: string; readonly events?: readonly string[] } | null;
}

export function newAccount(options: AccountOptions, ids: Ids): Account {
  return {
    name: "LOJA DE TESTE",
    isGateway: false,
    isAntifraudOn: false,
    feeBasisPoints: 399n,
    rest: "first",
    ...options,
    id: `acc_${ids.token(16)}`,
    domains: options.domains ?? null,
    orders: new Map(),
    charges: new Map(),
    tokens: new Map(),
    payables: [],
    settlements: [],
    hooks: [],
    disputes: [],
    answered: new Map(),
    hook: null,
  };
}
