import {
  PaymentStatus,
  SealDeltaKind,
  type Payment,
  type SealDelta,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { readRow, type Row } from "../export/csv.ts";
import { rowPayment } from "../export/row-payment.ts";
import { feeHandlingText, methodText } from "../parts/show.ts";
import { stateOf, stateText } from "../payments/state.ts";
import type { Guest } from "../visit.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

/** A sealed or current row of a payment. */
interface Version {
  readonly row: Row;
  readonly payment: Payment;
}

/** What a person sees of a field: an amount with its currency, or a text; undefined: nothing. */
type Value = readonly [minor: bigint, currency: string] | string | undefined;

/** Refunds and returns are counted in the currency of payers. */
const REFUND_CURRENCY = "BRL";

const FIELDS: readonly (readonly [name: MessageKey, value: (payment: Payment, guest: Guest) => Value])[] = [
  ["field_state", (payment, guest) => stateText(guest, stateOf(payment))],
  [
    "field_refunded",
    ({ refundedAmount = 0n }) => (refundedAmount > 0n ? [refundedAmount, REFUND_CURRENCY] : undefined),
  ],
  ["field_gross", ({ grossAmount, grossCurrency }) => [grossAmount, grossCurrency]],
  ["field_fee", ({ feeAmount, feeCurrency }) => [feeAmount, feeCurrency]],
  ["field_net", ({ netAmount, netCurrency }) => [netAmount, netCurrency]],
  ["field_handling", ({ feeHandling }, guest) => feeHandlingText(guest, feeHandling)],
  ["field_method", ({ paymentMethod }, guest) => methodText(guest, paymentMethod)],
  ["field_installments", ({ installments }) => installments?.toString()],
  ["field_reference", ({ reference }) => reference],
  ["field_link", ({ linkId }) => linkId],
  ["field_end_to_end_id", ({ endToEndId }) => endToEndId],
  ["field_created", ({ createdAt }, { format }) => createdAt && format.time(createdAt)],
];

/** Fields whose values no person compares: they are said to have changed, and the rows have them. */
const UNREAD: readonly (readonly [name: MessageKey, value: (row: Row) => unknown])[] = [
  ["field_rate", ({ fx }) => fx],
  ["field_failure", (row) => row.failure_code],
  ["field_metadata", ({ metadata }) => metadata],
];

/** What does not change once a payment is made. */
const FIXED: ReadonlySet<MessageKey> = new Set([
  "field_gross",
  "field_fee",
  "field_net",
  "field_handling",
  "field_method",
  "field_rate",
  "field_created",
]);

/** A difference in people's words. */
export interface Difference {
  /** What changed, and by how much. */
  readonly lines: readonly string[];
  /** What to do about it. */
  readonly advice: string;
  /** The payment as it is, or as it was sealed if it is gone. */
  readonly payment: Payment | undefined;
}

/** Returns what changed since the seal and what to do about it, in the guest's language. */
export function differenceOf(guest: Guest, { kind, sealedRow, currentRow }: SealDelta): Difference {
  const t = messagesIn(guest.language);
  const [sealed, current] = [sealedRow, currentRow].map(versionOf);
  const payment = (current ?? sealed)?.payment;
  if (!sealed || !current) {
    const isGone = kind === SealDeltaKind.GONE;
    const lines = payment ? [stateText(guest, stateOf(payment)), textOf(guest, grossOf(payment))] : [];
    return { lines, advice: t(isGone ? "advice_gone" : "advice_new"), payment };
  }
  const changed = changesOf(guest, sealed, current);
  const at = current.payment.updatedAt;
  return {
    lines: [...changed.values(), ...(at ? [t("changed_at", { time: guest.format.time(at) })] : [])],
    advice: t(adviceOf(sealed, current, new Set(changed.keys()))),
    payment,
  };
}

function versionOf(text: string | undefined): Version | undefined {
  return text === undefined ? undefined : { row: readRow(text), payment: rowPayment(text) };
}

function changesOf(guest: Guest, sealed: Version, current: Version): Map<MessageKey, string> {
  const t = messagesIn(guest.language);
  const changed = new Map<MessageKey, string>();
  for (const [name, valueOf] of FIELDS) {
    const [then, now] = [sealed, current].map(({ payment }) => valueOf(payment, guest));
    const [before, after] = [textOf(guest, then), textOf(guest, now)];
    if (before === after) continue;
    const by = growth(guest, then, now);
    const texts = { name: t(name), before, after };
    changed.set(name, by === undefined ? t("change", texts) : t("change_by", { ...texts, by }));
  }
  for (const [name, valueOf] of UNREAD) {
    const [then, now] = [sealed, current].map(({ row }) => JSON.stringify(valueOf(row)));
    if (then !== now) changed.set(name, t("change_only", { name: t(name) }));
  }
  return changed;
}

function grossOf({ grossAmount, grossCurrency }: Payment): Value {
  return [grossAmount, grossCurrency];
}

function textOf({ format }: Guest, value: Value): string {
  if (value === undefined || value === "") return "—";
  return typeof value === "string" ? value : format.money(...value);
}

/** Returns by how much an amount grew, with its sign, or undefined of what is not two amounts of one currency. */
function growth({ format }: Guest, then: Value, now: Value): string | undefined {
  if (typeof then !== "object" || typeof now !== "object" || then[1] !== now[1]) return undefined;
  const by = now[0] - then[0];
  return `${by > 0n ? "+" : ""}${format.money(by, now[1])}`;
}

function adviceOf(sealed: Version, current: Version, changed: ReadonlySet<MessageKey>): MessageKey {
  const [then, now] = [sealed, current].map(({ payment }) => payment.status === PaymentStatus.SUCCEEDED);
  if (!FIXED.isDisjointFrom(changed) || (then && !now)) return "advice_amounts";
  if (!then && now) return "advice_paid";
  return changed.has("field_refunded") ? "advice_refund" : "advice_none";
}
