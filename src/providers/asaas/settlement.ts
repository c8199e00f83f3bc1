import type { DisputeFacts, InstallmentFacts, SettlementFacts } from "../card-port.ts";
import type { AsaasClient } from "./client.ts";
import { wordIn } from "../answer-fields.ts";
import { isFields, minorOf, optionalText, textOf, unreadable, type Fields } from "./json.ts";
import { idOf, readPayment, type AsaasPayment } from "./messages.ts";

/** A payment with what Asaas says of its money. */
interface Settled extends AsaasPayment {
  readonly netMinor: bigint;
  readonly isAnticipated: boolean;
  /** The day on which it is or was credited; null: Asaas names none. */
  readonly creditOn: string | null;
  readonly receivedOn: string | null;
  readonly dispute: DisputeFacts | null;
}

/** Money that Asaas paid before its day. */
interface Anticipation {
  /** The payment's id; null: it is of the whole plan. */
  readonly paymentId: string | null;
  readonly feeMinor: bigint;
  readonly creditedOn: string;
}

/** The part of an anticipation that belongs to one payment. */
type Part = Omit<Anticipation, "paymentId">;

// The others are asked for, refused or taken back: no money came by them.
const CREDITED: ReadonlySet<string> = new Set(["CREDITED", "OVERDUE", "DEBITED"]);
const DISPUTE_STATUSES: Readonly<Record<string, DisputeFacts["status"]>> = {
  REQUESTED: "needs_response",
  IN_DISPUTE: "under_review",
  DISPUTE_LOST: "lost",
  DONE: "lost",
  REVERSED: "won",
};
const REASON = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Returns what Asaas says of the money of a charge, from the answers of its payments. Throws ProviderFault. */
export async function settlementOf(
  client: Pick<AsaasClient, "list">,
  rows: readonly Fields[],
  signal?: AbortSignal,
): Promise<SettlementFacts> {
  const payments = rows.map(readSettled).toSorted((one, other) => one.number - other.number);
  // What is not paid owes nothing yet.
  if (payments.some(({ standing }) => standing !== "paid")) return { installments: [], disputes: [] };
  const parts = partsOf(payments, await anticipationsOf(client, payments, signal));
  return {
    installments: payments.map((payment) => factsOf(payment, parts.get(payment.id))),
    disputes: payments.flatMap(({ dispute }) => dispute ?? []),
  };
}

function readSettled(fields: Fields): Settled {
  const payment = readPayment(fields);
  const status = textOf(fields, "status");
  const creditOn = dayIn(fields, "creditDate") ?? dayIn(fields, "estimatedCreditDate");
  const { chargeback } = fields;
  return {
    ...payment,
    netMinor: minorOf(fields, "netValue"),
    isAnticipated: fields["anticipated"] === true,
    creditOn,
    receivedOn:
      status === "CONFIRMED"
        ? null
        : (dayIn(fields, "paymentDate") ?? (status === "RECEIVED" ? creditOn : null)),
    dispute: isFields(chargeback) ? readDispute(chargeback, payment) : null,
  };
}

function readDispute(fields: Fields, { number, valueMinor, chargeback }: AsaasPayment): DisputeFacts {
  const reason = wordIn(fields["reason"]) ?? "";
  return {
    id: idOf(fields, "id"),
    installment: number,
    // One of a plan may be named by each of its payments, with the plan's value.
    amountMinor: smaller(chargeback?.valueMinor ?? valueMinor, valueMinor),
    status: DISPUTE_STATUSES[textOf(fields, "status")] ?? "under_review",
    reason: REASON.test(reason) ? reason : null,
    openedOn: dayIn(fields, "disputeStartDate"),
    respondBy: dayIn(fields, "deadlineToSendDisputeDocuments"),
  };
}

function factsOf(payment: Settled, anticipated: Part | undefined): InstallmentFacts {
  const { number, valueMinor, netMinor, refunds, dispute, creditOn, receivedOn } = payment;
  const refundedMinor = refunds
    .filter(({ status }) => status === "succeeded")
    .reduce((sum, refund) => sum + refund.valueMinor, 0n);
  // What was refunded before cannot be taken again.
  const disputedMinor = dispute ? smaller(dispute.amountMinor, valueMinor - refundedMinor) : 0n;
  const lostMinor = dispute?.status === "lost" ? disputedMinor : 0n;
  const paidOn = anticipated?.creditedOn ?? receivedOn;
  // Asaas takes its fee when it pays: of money that went back before, it takes none.
  const isGone = paidOn === null && refundedMinor + lostMinor >= valueMinor;
  const feeMinor = isGone ? 0n : valueMinor - netMinor;
  const anticipationFeeMinor = anticipated?.feeMinor ?? 0n;
  return {
    installment: number,
    grossMinor: valueMinor,
    feeMinor,
    anticipationFeeMinor,
    netMinor: valueMinor - feeMinor - anticipationFeeMinor,
    refundedMinor,
    chargedBackMinor: dispute?.status === "won" ? 0n : disputedMinor,
    dueOn: creditOn,
    paidOn,
  };
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** Returns the anticipations of the payments that have one: of the plan, and of single payments. */
async function anticipationsOf(
  client: Pick<AsaasClient, "list">,
  payments: readonly Settled[],
  signal: AbortSignal | undefined,
): Promise<Anticipation[]> {
  const anticipated = payments.filter(({ isAnticipated }) => isAnticipated);
  const planId = anticipated[0]?.planId ?? null;
  const credited = async (query: Readonly<Record<string, string>>): Promise<Anticipation[]> =>
    (await client.list("/anticipations", query, { signal, purpose: "check" })).flatMap(readAnticipation);
  const ofPlan = planId === null ? [] : await credited({ installment: planId });
  if (ofPlan.some(({ paymentId }) => paymentId === null)) return ofPlan;
  const known = new Set(ofPlan.map(({ paymentId }) => paymentId));
  const own: Anticipation[] = [];
  for (const { id } of anticipated) if (!known.has(id)) own.push(...(await credited({ payment: id })));
  return [...ofPlan, ...own];
}

function readAnticipation(fields: Fields): Anticipation[] {
  const creditedOn = dayIn(fields, "anticipationDate");
  if (!CREDITED.has(textOf(fields, "status")) || creditedOn === null) return [];
  const paymentId = optionalText(fields, "payment");
  return [{ paymentId, feeMinor: minorOf(fields, "fee"), creditedOn }];
}

/**
 * Returns each payment's part of the anticipations. The fee of a whole plan belongs to its anticipated payments by what
 * they are worth; the last one takes the rest.
 */
export function partsOf(
  payments: readonly Pick<Settled, "id" | "netMinor" | "isAnticipated">[],
  anticipations: readonly Anticipation[],
): Map<string, Part> {
  const parts = new Map<string, Part>();
  for (const { paymentId, feeMinor, creditedOn } of anticipations) {
    if (paymentId !== null) {
      parts.set(paymentId, { feeMinor, creditedOn });
      continue;
    }
    const sharing = payments.filter(({ isAnticipated }) => isAnticipated);
    const worthMinor = sharing.reduce((sum, { netMinor }) => sum + netMinor, 0n);
    let leftMinor = feeMinor;
    for (const [index, { id, netMinor }] of sharing.entries()) {
      const isLast = index === sharing.length - 1;
      const ownMinor = isLast || worthMinor === 0n ? leftMinor : (feeMinor * netMinor) / worthMinor;
      leftMinor -= ownMinor;
      parts.set(id, { feeMinor: ownMinor, creditedOn });
    }
  }
  return parts;
}

/** Returns a day as YYYY-MM-DD, or null if there is none. Throws ProviderFault if it is no day. */
function dayIn(fields: Fields, field: string): string | null {
  const text = optionalText(fields, field);
  if (text === null) return null;
  try {
    return Temporal.PlainDate.from(text.slice(0, "2026-01-01".length)).toString();
  } catch {
    throw unreadable(field);
  }
}
