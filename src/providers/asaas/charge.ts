import { dayAt, startOfDay, TIME_ZONE } from "../../../contract/day.ts";
import { secondsAfter } from "../../platform/time/clock.ts";
import type { CardProgress, CardState } from "../card-port.ts";
import type { ProviderReceipt, ProviderReturn, ReceivedMoney } from "../ports.ts";
import { ProviderFault } from "../provider-fault.ts";
import { unreadable } from "./json.ts";
import { isLikePayment, paymentPath, planPath, type AsaasPayment, type AsaasRefund } from "./messages.ts";

const DAY_SECONDS = 86_400;

/** A charge at Asaas: one payment, or all of a plan. */
export interface AsaasCharge {
  /** The payment's or the plan's. */
  readonly id: string;
  /** By their number. */
  readonly payments: readonly AsaasPayment[];
  /** True: the plan has other installments than these. A list may show them later. */
  readonly isPartial?: boolean;
}

/** Returns the charges that payments are of, in the order of the list. */
export function chargesOf(payments: readonly AsaasPayment[]): AsaasCharge[] {
  const groups = Map.groupBy(payments, ({ id, planId }) => planId ?? id);
  return [...groups].map(([id, own]) => ({
    id,
    payments: own.toSorted((one, other) => one.number - other.number),
  }));
}

/**
 * Returns what a charge is kept by: its id, and those of its payments. No list has what was removed, nor is a removed
 * plan's state said: its payments can be asked for alone.
 */
export function chargeNameOf({ id, payments }: AsaasCharge): string {
  return [id, ...payments.map((payment) => payment.id)].join(" ");
}

/** Returns the ids in a charge's name. A checkout's, or that of an earlier release, has the first alone. */
export function idsIn(name: string): { readonly id: string; readonly paymentIds: readonly string[] } {
  const [id = "", ...paymentIds] = name.split(" ");
  return { id, paymentIds: paymentIds.length === 0 && isLikePayment(id) ? [id] : paymentIds };
}

/** Returns the path of the payment or plan that a charge is. */
export function chargePath({ id, payments }: AsaasCharge): string {
  return payments.some(({ planId }) => planId === id) ? planPath(id) : paymentPath(id);
}

/** Returns true if nothing of a charge was paid and nothing is under way: it can be removed. */
export function isOpen({ payments }: AsaasCharge): boolean {
  return payments.every(({ standing }) => standing === "open");
}

/** Returns true if no payment of a charge can be paid by its page or code, and none was. */
export function isRemoved({ payments }: AsaasCharge): boolean {
  return payments.every(({ standing }) => standing === "removed");
}

/** Returns true if a charge is paid in full. 2 of 21 installments are no payment. */
export function isPaid({ payments, isPartial = false }: AsaasCharge): boolean {
  return !isPartial && payments.length > 0 && payments.every(({ standing }) => standing === "paid");
}

/** Returns what a card's charges of one reference mean together; the first is the one that its payer is sent to. */
export function stateOf(charges: readonly AsaasCharge[], now: Date): CardState {
  const paid = charges.filter(isPaid);
  const [kept] = paid.length > 0 ? paid : charges;
  return {
    progress: paid.length > 0 ? { status: "approved" } : progressOf(kept),
    chargeId: kept ? chargeNameOf(kept) : null,
    receipts: paid.map((charge) => receiptOf(charge, now)),
    returns: paid.flatMap((charge) => returnsOf(charge, now)),
  };
}

function progressOf(charge: AsaasCharge | undefined): CardProgress {
  if (!charge) return { status: "absent" };
  const standings = new Set(charge.payments.map(({ standing }) => standing));
  // Some installments are confirmed before the others.
  if (standings.has("review") || standings.has("paid")) return { status: "processing" };
  if (!standings.has("open")) return { status: "canceled" };
  const url = charge.payments[0]?.invoiceUrl ?? null;
  if (url === null) throw unreadable("invoiceUrl");
  return { status: "challenge", url };
}

/** Returns the money of a charge, whose price is the sum of its payments. */
function receiptOf(charge: AsaasCharge, now: Date): ProviderReceipt {
  const { id, payments } = charge;
  const card = payments.find((payment) => payment.card !== null)?.card;
  return {
    providerPaymentId: id,
    amountMinor: sumOf(payments),
    paidAt: paidAt(lastDayOf(charge), now),
    ...(card && { card }),
  };
}

/** Returns the day of the last payment by the payer, as Asaas writes it; empty if there is none. */
export function lastDayOf({ payments }: AsaasCharge): string {
  const days = payments.map(({ paidOn }) => paidOn ?? "").toSorted();
  return days.at(-1) ?? "";
}

/** Returns the money of a charge that is paid, as a statement has it. */
export function moneyOf(charge: AsaasCharge, now: Date): ReceivedMoney {
  const reference = charge.payments[0]?.reference ?? null;
  return { ...receiptOf(charge, now), reference, returns: returnsOf(charge, now) };
}

/** Asaas says the day of a payment and no time: money of an earlier day came by its end, money of today by now. */
function paidAt(day: string, now: Date): Date {
  const end = secondsAfter(new Date(startOf(day)), DAY_SECONDS - 1);
  return end < now ? end : now;
}

/** Returns what of a charge went back: by refunds, and by chargebacks of its payments. */
function returnsOf(charge: AsaasCharge, now: Date): ProviderReturn[] {
  const { id: providerPaymentId, payments } = charge;
  const refunds = Map.groupBy(
    payments.flatMap((payment) => payment.refunds),
    (refund) => refundIdOf(refund) ?? `${refund.paymentId} ${refund.createdAt}`,
  );
  const given = [...refunds].map(([id, parts]) => returnOf(id, providerPaymentId, parts, now));
  const taken = payments.flatMap((payment) => chargebackOf(payment, payments, providerPaymentId, now));
  return [...given, ...taken];
}

/**
 * Returns the chargeback of a payment. One of a plan may be named by several of its payments under one id: each of them
 * then has its part, at most its own value.
 */
function chargebackOf(
  { id: paymentId, planId, valueMinor, chargeback }: AsaasPayment,
  payments: readonly AsaasPayment[],
  providerPaymentId: string,
  now: Date,
): ProviderReturn[] {
  if (!chargeback) return [];
  const { id, status, startedOn } = chargeback;
  const isShared = payments.filter((one) => one.chargeback?.id === id).length > 1;
  const isCapped = isShared && chargeback.valueMinor > valueMinor;
  return [
    {
      id: planId === null ? id : `${id} ${paymentId}`,
      providerPaymentId,
      amountMinor: isCapped ? valueMinor : chargeback.valueMinor,
      status,
      reason: "chargeback",
      requestedAt: startedOn === null ? now : new Date(startOf(startedOn)),
      endedAt: status === "processing" ? null : now,
    },
  ];
}

/** Returns a refund from its parts: one of a plan is spread over its payments, and some of them may be denied. */
export function returnOf(
  id: string,
  providerPaymentId: string,
  parts: readonly AsaasRefund[],
  now: Date,
): ProviderReturn {
  const statuses = new Set(parts.map(({ status }) => status));
  const status = statuses.has("processing")
    ? "processing"
    : statuses.has("succeeded")
      ? "succeeded"
      : "failed";
  const denied = status === "failed" ? [] : parts.filter((part) => part.status === "failed");
  return {
    id,
    providerPaymentId,
    amountMinor: sumOf(parts.filter((part) => !denied.includes(part))),
    deniedMinor: sumOf(denied),
    status,
    mayExceed: true,
    // A description is our id and the merchant's words, or those of a person at Asaas.
    reason: null,
    requestedAt: timeOf(parts[0]?.createdAt ?? ""),
    endedAt: status === "processing" ? null : now,
  };
}

/** Returns our own id of a refund, which its description begins with, or null. */
export function refundIdOf({ description }: Pick<AsaasRefund, "description">): string | null {
  return /^ref_[0-9a-z]{26}/.exec(description ?? "")?.[0] ?? null;
}

/** Returns the fault of an answer with another charge than the one asked for. */
export function wrongCharge(reference: string): ProviderFault {
  const message = `the provider's charge of ${reference} is another one`;
  return new ProviderFault("unknown", message, { code: "wrong_charge" });
}

function sumOf(parts: readonly { readonly valueMinor: bigint }[]): bigint {
  return parts.reduce((sum, { valueMinor }) => sum + valueMinor, 0n);
}

/** Returns the day of São Paulo as Asaas writes it. */
export function dayText(time: Date): string {
  return dayAt(time.getTime()).toString();
}

function startOf(day: string): number {
  try {
    return startOfDay(Temporal.PlainDate.from(day));
  } catch {
    throw unreadable("day");
  }
}

/** Returns a time that Asaas writes in São Paulo. Throws ProviderFault. */
export function timeOf(text: string): Date {
  try {
    const time = Temporal.PlainDateTime.from(text.replace(" ", "T")).toZonedDateTime(TIME_ZONE);
    return new Date(time.epochMilliseconds);
  } catch {
    throw unreadable("time");
  }
}
