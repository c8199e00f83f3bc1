import { isProviderId } from "../answer-fields.ts";
import { paidCard, type PaidCard } from "../card-brand.ts";
import { minorOf, optionalText, rowsOf, isFields, textOf, unreadable, wholeOf, type Fields } from "./json.ts";

/** How far a payment is. "paid": its money was taken, whatever became of it later. */
type Standing = "open" | "review" | "paid" | "removed";

const STANDINGS: Readonly<Record<string, Standing>> = {
  PENDING: "open",
  OVERDUE: "open",
  AWAITING_RISK_ANALYSIS: "review",
  // Reserved on the card, and not taken yet.
  AUTHORIZED: "review",
  CONFIRMED: "paid",
  RECEIVED: "paid",
  REFUND_REQUESTED: "paid",
  REFUND_IN_PROGRESS: "paid",
  REFUNDED: "paid",
  CHARGEBACK_REQUESTED: "paid",
  CHARGEBACK_DISPUTE: "paid",
  AWAITING_CHARGEBACK_REVERSAL: "paid",
  // The merchant took cash, as they say: no money came to the provider, and none can.
  RECEIVED_IN_CASH: "removed",
  // A collector asks the payer for it.
  DUNNING_REQUESTED: "review",
  DUNNING_RECEIVED: "paid",
};

// A merchant may have charges of his own there.
const OWN_REFERENCE = /^pay[0-9a-z]{26}$/;

/** A payment at Asaas: a whole charge, or one installment of a plan. */
export interface AsaasPayment {
  readonly id: string;
  /** The plan's id; null: it is of none. */
  readonly planId: string | null;
  /** Which installment it is; 1 if it is of no plan. */
  readonly number: number;
  readonly reference: string | null;
  readonly valueMinor: bigint;
  readonly standing: Standing;
  /** The day of the payment by its payer, as Asaas writes it; null: it has none. */
  readonly paidOn: string | null;
  /** What of PIX says its hour; null: it has none. */
  readonly pixTransactionId: string | null;
  /** Null: it is not paid by card. */
  readonly card: PaidCard | null;
  readonly invoiceUrl: string | null;
  readonly refunds: readonly AsaasRefund[];
  readonly chargeback: AsaasChargeback | null;
}

export interface AsaasRefund {
  readonly paymentId: string;
  readonly valueMinor: bigint;
  readonly status: "processing" | "succeeded" | "failed";
  readonly description: string | null;
  /** When it was asked for, in São Paulo, as Asaas writes it: with the payment it is what a refund has for an id. */
  readonly createdAt: string;
}

interface AsaasChargeback {
  readonly id: string;
  readonly valueMinor: bigint;
  readonly status: "processing" | "succeeded" | "failed";
  readonly startedOn: string | null;
}

const REFUND_STATUSES: Readonly<Record<string, AsaasRefund["status"]>> = {
  DONE: "succeeded",
  CANCELLED: "failed",
};
// The others are of a chargeback that is not decided.
const CHARGEBACK_STATUSES: Readonly<Record<string, AsaasChargeback["status"]>> = {
  DISPUTE_LOST: "succeeded",
  DONE: "succeeded",
  REVERSED: "failed",
};

/** Reads a payment. Throws ProviderFault. */
export function readPayment(fields: Fields): AsaasPayment {
  const id = idOf(fields, "id");
  const { chargeback, creditCard: card } = fields;
  const paidOn = optionalText(fields, "confirmedDate") ?? optionalText(fields, "clientPaymentDate");
  return {
    id,
    planId: fields["installment"] == null ? null : idOf(fields, "installment"),
    number: wholeOf(fields, "installmentNumber") ?? 1,
    reference: optionalText(fields, "externalReference"),
    valueMinor: minorOf(fields, "value"),
    standing: standingOf(fields, paidOn),
    paidOn,
    pixTransactionId: isProviderId(fields["pixTransaction"]) ? fields["pixTransaction"] : null,
    card: isFields(card)
      ? paidCard(optionalText(card, "creditCardBrand"), optionalText(card, "creditCardNumber"))
      : null,
    invoiceUrl: optionalText(fields, "invoiceUrl"),
    refunds: rowsOf(fields, "refunds").map((refund) => readRefund(refund, id)),
    chargeback: isFields(chargeback) ? readChargeback(chargeback) : null,
  };
}

export function readRefund(fields: Fields, paymentId: string): AsaasRefund {
  return {
    paymentId: optionalText(fields, "paymentId") ?? paymentId,
    valueMinor: minorOf(fields, "value"),
    status: REFUND_STATUSES[textOf(fields, "status")] ?? "processing",
    description: optionalText(fields, "description"),
    createdAt: textOf(fields, "dateCreated"),
  };
}

/** Returns the reference of a payment if it is in the form of ours, else null. */
export function ownReference(fields: Fields): string | null {
  const { externalReference } = fields;
  return typeof externalReference === "string" && OWN_REFERENCE.test(externalReference)
    ? externalReference
    : null;
}

/** Returns an id, in whatever form. Throws ProviderFault. */
export function idOf(fields: Fields, field: string): string {
  const id = fields[field];
  if (!isProviderId(id)) throw unreadable(field);
  return id;
}

export function paymentPath(id: string): string {
  return `/payments/${encodeURIComponent(id)}`;
}

export function planPath(id: string): string {
  return `/installments/${encodeURIComponent(id)}`;
}

/** Returns the paths of the payment and of the plan that an id may be of, the likelier one first: the id does not say. */
export function pathsOf(id: string): readonly { readonly path: string; readonly isPlan: boolean }[] {
  const [payment, plan] = [
    { path: paymentPath(id), isPlan: false },
    { path: planPath(id), isPlan: true },
  ];
  return isLikePayment(id) ? [payment, plan] : [plan, payment];
}

/** Guesses by the form that ids of payments had for long. A wrong guess costs a call. */
export function isLikePayment(id: string): boolean {
  return id.startsWith("pay_");
}

/** A payment whose review failed may end as refunded, though nothing was taken. */
function standingOf(fields: Fields, paidOn: string | null): Standing {
  const status = textOf(fields, "status");
  const standing = Object.hasOwn(STANDINGS, status) ? STANDINGS[status] : undefined;
  if (standing === undefined) throw unreadable("status");
  if (standing === "paid" && paidOn === null) return status === "REFUNDED" ? "removed" : "review";
  return standing === "open" && fields["deleted"] === true ? "removed" : standing;
}

function readChargeback(fields: Fields): AsaasChargeback {
  return {
    id: idOf(fields, "id"),
    valueMinor: minorOf(fields, "value"),
    status: CHARGEBACK_STATUSES[textOf(fields, "status")] ?? "processing",
    startedOn: optionalText(fields, "disputeStartDate"),
  };
}
