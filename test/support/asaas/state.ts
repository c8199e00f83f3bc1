import type { Ids } from "../provider/ids.ts";

export type BillingType = "CREDIT_CARD" | "PIX";

/** AUTHORIZED is in no list of the official document; the sandbox answers it. */
type PaymentStatus =
  | "PENDING"
  | "AWAITING_RISK_ANALYSIS"
  | "AUTHORIZED"
  | "CONFIRMED"
  | "RECEIVED"
  | "OVERDUE"
  | "REFUND_IN_PROGRESS"
  | "REFUNDED"
  | "CHARGEBACK_REQUESTED"
  | "CHARGEBACK_DISPUTE"
  | "AWAITING_CHARGEBACK_REVERSAL";

export type Brand = "VISA" | "MASTERCARD" | "ELO" | "AMEX" | "UNKNOWN";

interface Card {
  readonly last4: string;
  readonly brand: Brand;
  readonly token: string;
}

export interface Customer {
  readonly id: string;
  readonly createdOn: string;
  readonly name: string;
  readonly taxId: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly mobilePhone: string | null;
  readonly externalReference: string | null;
  readonly notificationDisabled: boolean;
}

export type RefundStatus = "PENDING" | "DONE" | "CANCELLED";

export interface Refund {
  readonly createdAt: string;
  readonly valueMinor: bigint;
  readonly description: string | null;
  /** The status of the payment before it. */
  readonly statusBefore: PaymentStatus;
  status: RefundStatus;
  effectiveOn: string | null;
}

export type ChargebackStatus = "REQUESTED" | "IN_DISPUTE" | "DISPUTE_LOST" | "REVERSED" | "DONE";

export interface Chargeback {
  readonly id: string;
  readonly valueMinor: bigint;
  readonly reason: string;
  readonly startedOn: string;
  readonly deadlineOn: string;
  readonly statusBefore: PaymentStatus;
  status: ChargebackStatus;
  disputeStatus: "REQUESTED" | "ACCEPTED" | "REJECTED" | null;
}

/** Money that was paid out before its day. */
export interface Anticipation {
  readonly id: string;
  readonly on: string;
  /** What was credited, before the fee. */
  readonly valueMinor: bigint;
  readonly feeMinor: bigint;
}

/** What the bank of its payer did. */
interface PixTransaction {
  readonly id: string;
  readonly endToEndId: string;
  /** In São Paulo. */
  readonly effectiveAt: string;
}

/** A payment, which is also one installment of a plan. Days are of São Paulo. */
export interface Payment {
  readonly id: string;
  /** Lists have the last one first. */
  readonly order: number;
  readonly customerId: string;
  readonly plan: Plan | null;
  readonly number: number | null;
  readonly checkoutId: string | null;
  readonly valueMinor: bigint;
  readonly feeMinor: bigint;
  readonly description: string | null;
  readonly billingType: BillingType;
  readonly createdOn: string;
  readonly dueOn: string;
  readonly invoiceNumber: string;
  readonly externalReference: string | null;
  readonly back: { readonly successUrl: string; readonly isAutomatic: boolean } | null;
  readonly refunds: Refund[];
  status: PaymentStatus;
  isDeleted: boolean;
  /** The payer paid. */
  confirmedOn: string | null;
  /** The merchant received. */
  receivedOn: string | null;
  creditOn: string | null;
  card: Card | null;
  receipt: string | null;
  pixTransaction: PixTransaction | null;
  chargeback: Chargeback | null;
  anticipation: Anticipation | null;
  /** Until then neither lists nor questions by its id find it. */
  hiddenUntil: Date | null;
}

/** A plan of installments ("parcelamento"). */
export interface Plan {
  readonly id: string;
  readonly totalMinor: bigint;
  readonly billingType: BillingType;
  readonly description: string | null;
  readonly customerId: string;
  readonly checkoutId: string | null;
  readonly createdOn: string;
  readonly dueDay: number;
  readonly payments: Payment[];
  isDeleted: boolean;
}

export interface Checkout {
  readonly id: string;
  /** As it was sent. */
  readonly asked: Readonly<Record<string, unknown>>;
  readonly valueMinor: bigint;
  readonly countMax: number;
  readonly expiresAt: Date;
  readonly urls: { readonly success: string; readonly cancel: string; readonly expired: string };
  readonly externalReference: string | null;
  readonly customer: { readonly name: string; readonly taxId: string } | null;
  /** One that the merchant has already. */
  readonly customerId: string | null;
  status: "ACTIVE" | "PAID" | "CANCELED" | "EXPIRED";
}

export interface Webhook {
  readonly id: string;
  name: string;
  url: string;
  email: string | null;
  isEnabled: boolean;
  /** True: its queue stops until it is switched on by hand. */
  isInterrupted: boolean;
  authToken: string | null;
  sendType: "SEQUENTIALLY" | "NON_SEQUENTIALLY";
  events: readonly string[];
  failures: number;
}

/** A line of the statement. */
export interface Line {
  readonly id: string;
  readonly type: string;
  readonly valueMinor: bigint;
  readonly balanceMinor: bigint;
  readonly on: string;
  readonly description: string;
  readonly paymentId: string | null;
}

/** What a merchant pays, in centavos and in hundredths of a percent. */
export interface Fees {
  readonly cardFixedMinor: bigint;
  /** For 1, up to 6, up to 12 and up to 21 installments. */
  readonly cardBasisPoints: readonly [bigint, bigint, bigint, bigint];
  readonly pixFixedMinor: bigint;
  readonly cardDays: number;
}

const FEES: Fees = {
  cardFixedMinor: 49n,
  cardBasisPoints: [299n, 349n, 399n, 429n],
  pixFixedMinor: 199n,
  cardDays: 32,
};

export interface AccountOptions {
  readonly apiKey: string;
  readonly name?: string;
  /** The host to which payers may be sent back. Not given: any. */
  readonly domain?: string;
  readonly fees?: Partial<Fees>;
}

/** What the provider holds for one merchant. */
export interface Account {
  readonly id: string;
  /** A merchant may make a new one. */
  apiKey: string;
  readonly name: string;
  readonly email: string;
  readonly domain: string | null;
  readonly fees: Fees;
  readonly customers: Map<string, Customer>;
  readonly payments: Map<string, Payment>;
  readonly plans: Map<string, Plan>;
  readonly checkouts: Map<string, Checkout>;
  readonly webhooks: Map<string, Webhook>;
  readonly lines: Line[];
  /** The calls of the present 12 hours. */
  quota: { startedMs: number; used: number };
}

export function newAccount(
  { apiKey, name = "LOJA DE TESTE", domain, fees }: AccountOptions,
  ids: Ids,
): Account {
  return {
    id: ids.uuid(),
    apiKey,
    name,
    email: "financeiro@loja.example.com",
    domain: domain ?? null,
    fees: { ...FEES, ...fees },
    customers: new Map(),
    payments: new Map(),
    plans: new Map(),
    checkouts: new Map(),
    webhooks: new Map(),
    lines: [],
    quota: { startedMs: 0, used: 0 },
  };
}
