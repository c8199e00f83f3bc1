import { optionalText, required, rowsOf, textOf, unreadable, wordIn, type Fields } from "../answer-fields.ts";
import { paidCard, type PaidCard } from "../card-brand.ts";
import type { KnownCard } from "../decline.ts";
import { dayIn, idIn, minorIn, objectOf, timeIn } from "./fields.ts";

/** How far a charge is. "paid": its money was taken, whatever became of it later. */
type Standing = "waiting" | "paid" | "failed" | "voided";

const STANDINGS: Readonly<Record<string, Standing>> = {
  pending: "waiting",
  processing: "waiting",
  paid: "paid",
  overpaid: "paid",
  underpaid: "paid",
  chargedback: "paid",
  failed: "failed",
  canceled: "voided",
};

/** An order at Pagar.me. */
export interface PagarmeOrder {
  readonly code: string;
  readonly amountMinor: bigint;
  readonly charges: readonly PagarmeCharge[];
}

export interface PagarmeCharge {
  readonly id: string;
  readonly standing: Standing;
  /** What was paid, or is asked for while nothing was. */
  readonly amountMinor: bigint;
  /** Null: nothing was paid. */
  readonly paidAt: Date | null;
  /** True: something of its money went back, or was taken back. */
  readonly hasReturns: boolean;
  /** The last thing that was tried. */
  readonly last: PagarmeTransaction | null;
}

/** One thing that was tried with a charge: a payment, or giving it back. */
export interface PagarmeTransaction {
  readonly id: string;
  readonly status: string;
  readonly amountMinor: bigint;
  readonly installments: number | null;
  /** True: it gives money back, or frees what was reserved. */
  readonly isCancel: boolean;
  readonly createdAt: Date;
  /** The issuer's code. */
  readonly returnCode: string | null;
  readonly antifraud: string | null;
  readonly card: PaidCard | null;
  /** The card by what all its tokens have in common. */
  readonly knownCard: KnownCard | null;
}

/** A line of the merchant's money: what moves the balance is its amount less its fees. */
export interface PagarmePayable {
  readonly id: string;
  readonly type: string;
  readonly installment: bigint | null;
  /** Below 0: it takes money back. */
  readonly amountMinor: bigint;
  /** Its fee, with that for covering fraud. */
  readonly feeMinor: bigint;
  readonly anticipationFeeMinor: bigint;
  /** The day in São Paulo on which it moves, or moved, the balance; null: Pagar.me names none. */
  readonly movesOn: string | null;
  /** True: it moved the balance. */
  readonly hasMoved: boolean;
  readonly createdAt: Date;
  /** The id by which contests name the transaction; null: it has none. */
  readonly transactionId: string | null;
}

/** The states of a payable that moved the balance; "prepaid": before its day. */
export const MOVED: ReadonlySet<string> = new Set(["paid", "prepaid"]);

/** Reads an order with its charges. Throws ProviderFault. */
export function readOrder(fields: Fields): PagarmeOrder {
  return {
    code: textOf(fields, "code"),
    amountMinor: required(minorIn(fields, "amount"), "amount"),
    charges: rowsOf(fields, "charges").map(readCharge),
  };
}

/** Reads a charge. Throws ProviderFault, also for money that is not in reais. */
export function readCharge(fields: Fields): PagarmeCharge {
  if ((optionalText(fields, "currency") ?? "BRL") !== "BRL") throw unreadable("currency");
  const paidAt = timeIn(fields, "paid_at");
  const status = textOf(fields, "status");
  const last = objectOf(fields, "last_transaction");
  const transaction = last && readTransaction(last);
  return {
    id: idIn(fields, "id"),
    standing: standingOf(status, paidAt),
    amountMinor: required(minorIn(fields, "paid_amount") ?? minorIn(fields, "amount"), "amount"),
    paidAt,
    hasReturns:
      (minorIn(fields, "canceled_amount") ?? 0n) > 0n ||
      status === "chargedback" ||
      (transaction?.isCancel ?? false),
    last: transaction,
  };
}

export function readTransaction(fields: Fields): PagarmeTransaction {
  const card = objectOf(fields, "card");
  const installments = minorIn(fields, "installments");
  return {
    id: idIn(fields, "id"),
    status: textOf(fields, "status"),
    amountMinor: required(minorIn(fields, "amount"), "amount"),
    installments: installments === null ? null : Number(installments),
    isCancel: optionalText(fields, "operation_type") === "cancel",
    createdAt: required(timeIn(fields, "created_at"), "created_at"),
    returnCode: wordIn(fields["acquirer_return_code"]),
    antifraud: optionalText(objectOf(fields, "antifraud_response") ?? {}, "status"),
    card: card && paidCard(optionalText(card, "brand"), optionalText(card, "last_four_digits")),
    knownCard: card && readCard(card),
  };
}

export function readPayable(fields: Fields): PagarmePayable {
  return {
    id: idIn(fields, "id"),
    type: textOf(fields, "type"),
    installment: minorIn(fields, "installment"),
    amountMinor: required(minorIn(fields, "amount"), "amount"),
    feeMinor: (minorIn(fields, "fee") ?? 0n) + (minorIn(fields, "fraud_coverage_fee") ?? 0n),
    anticipationFeeMinor: minorIn(fields, "anticipation_fee") ?? 0n,
    movesOn: dayIn(fields, "payment_date"),
    hasMoved: MOVED.has(textOf(fields, "status")),
    createdAt: required(timeIn(fields, "created_at"), "created_at"),
    transactionId: fields["gateway_id"] == null ? null : idIn(fields, "gateway_id"),
  };
}

/** Returns what all tokens of one card have in common, or null if an answer does not have it. No token has its first digits. */
export function readCard(card: Fields): KnownCard | null {
  const { brand, lastFour } = paidCard(optionalText(card, "brand"), optionalText(card, "last_four_digits"));
  const [month, year] = [card["exp_month"], card["exp_year"]].map(Number);
  if (lastFour === null || !month || !year) return null;
  const key = [brand, lastFour, month, year % 100].join(" ");
  return { key, holder: holderOf(card) };
}

/** A name is written without accents on a card, and payers type it in any case. */
function holderOf(card: Fields): string | null {
  const name = (optionalText(card, "holder_name") ?? "").normalize("NFD").replaceAll(/\p{M}/gu, "");
  return (
    name
      .toUpperCase()
      .match(/\p{L}+/gu)
      ?.join(" ") ?? null
  );
}

/** A charge that was paid and given back whole is canceled, as one is of which nothing was taken. */
function standingOf(status: string, paidAt: Date | null): Standing {
  const standing = Object.hasOwn(STANDINGS, status) ? STANDINGS[status] : undefined;
  if (standing === undefined) throw unreadable("status");
  if (standing === "paid" && paidAt === null) throw unreadable("paid_at");
  return standing === "voided" && paidAt !== null ? "paid" : standing;
}
