import { genericCode } from "./cards.ts";
import type { PagarmeDeps } from "./deps.ts";
import { addCredits } from "./payables.ts";
import type { Account, Card, Charge, ChargeStatus, Outcome, Transaction } from "./state.ts";

interface Attempt {
  readonly card: Card;
  readonly outcome: Outcome;
  readonly descriptor: string | null;
  readonly isCaptured: boolean;
}

/** Tries a card for a charge. */
export function attempt(account: Account, charge: Charge, tried: Attempt, deps: PagarmeDeps): void {
  const { card, outcome, descriptor, isCaptured } = tried;
  const transaction: Transaction = {
    id: deps.ids.form("transaction", `tran_${deps.ids.token(16)}`),
    gatewayId: String(2_000_000_000 + deps.ids.next()),
    amountMinor: charge.amountMinor,
    installments: charge.installments,
    operationType: isCaptured ? "auth_and_capture" : "auth_only",
    statementDescriptor: descriptor,
    card,
    createdAt: deps.clock.now(),
    status: "with_error",
    returnCode: null,
    message: "",
    antifraud: account.isAntifraudOn ? "approved" : null,
  };
  charge.transactions.push(transaction);
  deps.tellOfCharge(account, "charge.created", charge);
  switch (outcome.kind) {
    case "paid":
      if (isCaptured) pay(account, charge, deps);
      else {
        set(transaction, "authorized_pending_capture", "00", "Transação autorizada");
        change(account, charge, "pending", null, deps);
      }
      return;
    case "declined":
      decline(account, charge, outcome.code ?? genericCode(card.brand), deps);
      return;
    case "processing":
      set(transaction, "with_error", null, "Sem resposta do adquirente");
      change(account, charge, "processing", "charge.processing", deps);
      return;
    case "error":
      set(transaction, "with_error", null, "Erro no adquirente");
      change(account, charge, "failed", "charge.payment_failed", deps);
      return;
    case "review":
      transaction.antifraud = "pending";
      set(transaction, "pending_review", "00", "Em análise");
      change(account, charge, "pending", "charge.antifraud_pending", deps);
      return;
    case "refused_by_antifraud":
      refuseByAntifraud(account, charge, deps);
  }
}

/** The charge's money is taken. */
export function pay(account: Account, charge: Charge, deps: PagarmeDeps): void {
  set(lastOf(charge), "captured", "00", "Transação capturada com sucesso");
  charge.paidAt = deps.clock.now();
  charge.paidMinor = charge.amountMinor;
  addCredits(account, charge, deps);
  change(account, charge, "paid", "charge.paid", deps);
}

/** The issuer refuses, with a code of the card's brand. */
export function decline(account: Account, charge: Charge, code: string, deps: PagarmeDeps): void {
  const written = deps.isZeroDropped ? code.replace(/^0+(?=\d)/, "") : code;
  set(lastOf(charge), "not_authorized", written, "Transação não autorizada");
  change(account, charge, "failed", "charge.payment_failed", deps);
}

export function refuseByAntifraud(account: Account, charge: Charge, deps: PagarmeDeps): void {
  const transaction = lastOf(charge);
  transaction.antifraud = "reproved";
  set(transaction, "failed", null, "Recusada pela análise de risco");
  change(account, charge, "failed", "charge.antifraud_reproved", deps);
}

export function lastOf(charge: Charge): Transaction {
  const last = charge.transactions.at(-1);
  if (!last) throw new Error(`the charge ${charge.id} has no transaction`);
  return last;
}

export function set(
  transaction: Transaction,
  status: Transaction["status"],
  returnCode: string | null,
  message: string,
): void {
  Object.assign(transaction, { status, returnCode, message });
}

/** Changes a charge, and with it the order. */
export function change(
  account: Account,
  charge: Charge,
  status: ChargeStatus,
  event: string | null,
  deps: PagarmeDeps,
): void {
  const { order } = charge;
  charge.status = status;
  charge.updatedAt = order.updatedAt = deps.clock.now();
  const before = order.status;
  order.status = ORDERS[status];
  if (event !== null) deps.tellOfCharge(account, event, charge);
  if (order.status === before || order.status === "pending") return;
  deps.tellOfOrder(
    account,
    order.status === "failed" ? "order.payment_failed" : `order.${order.status}`,
    order,
  );
}

const ORDERS = {
  paid: "paid",
  overpaid: "paid",
  underpaid: "pending",
  pending: "pending",
  processing: "pending",
  failed: "failed",
  canceled: "canceled",
  chargedback: "paid",
} as const;
