import { wholeOf, type Fields } from "../provider/json.ts";
import { change, decline, lastOf, pay, refuseByAntifraud, set } from "./attempts.ts";
import type { PagarmeDeps } from "./deps.ts";
import { addDebits, creditsOf } from "./payables.ts";
import { invalid, notFound, notNow } from "./problem.ts";
import type { Account, Charge, Order, Transaction } from "./state.ts";

export function findOrder(account: Account, id: string, { clock }: PagarmeDeps): Order {
  const order = account.orders.get(id);
  if (!order || isHidden(order, clock.now())) throw notFound("Order");
  return order;
}

export function findCharge(account: Account, id: string, { clock }: PagarmeDeps): Charge {
  const charge = account.charges.get(id);
  if (!charge || isHidden(charge.order, clock.now())) throw notFound("Charge");
  return charge;
}

export function isHidden({ hiddenUntil }: Order, now: Date): boolean {
  return hiddenUntil !== null && now < hiddenUntil;
}

/** Takes what was reserved. */
export function captureCharge(account: Account, charge: Charge, body: Fields, deps: PagarmeDeps): void {
  if (lastOf(charge).status !== "authorized_pending_capture")
    throw notNow("This charge can not be captured.");
  const given = body["amount"];
  if (given !== undefined && BigInt(wholeOf(given) ?? 0) !== charge.amountMinor) {
    throw invalid("amount", "Only the whole amount is captured here.");
  }
  follow(charge, "capture", charge.amountMinor, deps);
  pay(account, charge, deps);
}

/** Voids what was reserved or is under review, or refunds what was paid, whole or in part. */
export function cancelCharge(account: Account, charge: Charge, body: Fields, deps: PagarmeDeps): void {
  const last = lastOf(charge);
  if (charge.status === "pending" && ["authorized_pending_capture", "pending_review"].includes(last.status)) {
    set(follow(charge, "cancel", charge.amountMinor, deps), "voided", "00", "Transação cancelada");
    charge.canceledAt = deps.clock.now();
    change(account, charge, "canceled", "charge.refunded", deps);
    return;
  }
  if (charge.status !== "paid" || last.status === "pending_refund")
    throw notNow("This charge can not be canceled.");
  const mostMinor = charge.paidMinor - charge.canceledMinor;
  const given = body["amount"];
  const wantedMinor = given === undefined ? mostMinor : BigInt(wholeOf(given) ?? 0);
  if (wantedMinor <= 0n || wantedMinor > mostMinor)
    throw invalid("amount", "The amount is not in what was paid.");
  const canceling = follow(charge, "cancel", wantedMinor, deps);
  const { outcome } = deps.refundRules;
  if (outcome === "done") endRefund(account, charge, true, deps);
  else if (outcome === "pending") set(canceling, "pending_refund", null, "Estorno em andamento");
  else endRefund(account, charge, false, deps);
}

/** Ends the refund that is the charge's last transaction. */
export function endRefund(account: Account, charge: Charge, isDone: boolean, deps: PagarmeDeps): void {
  const last = lastOf(charge);
  if (!isDone) {
    set(last, "failed", null, "Estorno recusado");
    change(account, charge, "paid", null, deps);
    return;
  }
  charge.canceledMinor += last.amountMinor;
  addDebits(account, charge, { type: "refund", amountMinor: last.amountMinor }, deps);
  const isWhole = charge.canceledMinor === charge.paidMinor;
  set(last, isWhole ? "refunded" : "partial_refunded", "00", "Transação estornada");
  if (isWhole) charge.canceledAt = deps.clock.now();
  change(
    account,
    charge,
    isWhole ? "canceled" : "paid",
    isWhole ? "charge.refunded" : "charge.partial_canceled",
    deps,
  );
}

/** Ends what waited for its acquirer or for the antifraud. */
export function endWaiting(
  account: Account,
  charge: Charge,
  outcome:
    | { readonly kind: "paid" | "refused_by_antifraud" }
    | { readonly kind: "declined"; readonly code: string },
  deps: PagarmeDeps,
): void {
  const last = lastOf(charge);
  if (outcome.kind === "paid") {
    if (last.status === "pending_review") {
      last.antifraud = "approved";
      deps.tellOfCharge(account, "charge.antifraud_approved", charge);
    }
    pay(account, charge, deps);
  } else if (outcome.kind === "declined") decline(account, charge, outcome.code, deps);
  else refuseByAntifraud(account, charge, deps);
}

/** The payer's bank takes a charge back, or one of its installments. */
export function chargeBack(
  account: Account,
  charge: Charge,
  installment: number | undefined,
  deps: PagarmeDeps,
): void {
  const restMinor = charge.paidMinor - charge.canceledMinor;
  const amountMinor =
    installment === undefined ? restMinor : (creditsOf(account, charge)[installment - 1]?.amountMinor ?? 0n);
  addDebits(account, charge, { type: "chargeback", amountMinor, installment }, deps);
  set(follow(charge, "cancel", amountMinor, deps), "chargedback", null, "Chargeback");
  change(account, charge, "chargedback", "charge.chargedback", deps);
}

/** The merchant wins it back, or an amount of one of its installments. */
export function reverseChargeback(
  account: Account,
  charge: Charge,
  of: { readonly installment?: number; readonly amountMinor?: bigint },
  deps: PagarmeDeps,
): void {
  const debited = account.payables
    .filter((one) => one.charge === charge && one.type === "chargeback")
    .filter(({ installment }) => of.installment === undefined || installment === of.installment);
  for (const { installment, amountMinor: lostMinor } of debited) {
    const amountMinor = of.amountMinor ?? -lostMinor;
    addDebits(account, charge, { type: "chargeback_refund", amountMinor, installment }, deps);
  }
  set(follow(charge, "capture", charge.amountMinor, deps), "captured", "00", "Chargeback revertido");
  change(account, charge, "paid", "charge.paid", deps);
}

function follow(
  charge: Charge,
  operationType: Transaction["operationType"],
  amountMinor: bigint,
  { ids, clock }: PagarmeDeps,
): Transaction {
  const last = lastOf(charge);
  const made = {
    ...last,
    id: ids.form("transaction", `tran_${ids.token(16)}`),
    operationType,
    amountMinor,
    createdAt: clock.now(),
  };
  charge.transactions.push(made);
  return made;
}
