import { bankDay, plusDays, stampOf } from "../provider/dates.ts";
import { countMaxOf } from "./cards.ts";
import { today, type AsaasDeps } from "./deps.ts";
import { addLine, receive } from "./finance.ts";
import type { Account, Brand, ChargebackStatus, Payment } from "./state.ts";

const DISPUTE_DAYS = 7;

export interface CardGiven {
  readonly brand?: Brand;
  readonly last4?: string;
}

export interface PayOptions extends CardGiven {
  /** How many installments are confirmed now; the others keep their status. */
  readonly confirmed?: number;
  /** AUTHORIZED: reserved on the card, not taken. AWAITING_RISK_ANALYSIS: a person looks at it first. */
  readonly status?: "CONFIRMED" | "AUTHORIZED" | "AWAITING_RISK_ANALYSIS";
}

const EVENTS = {
  CONFIRMED: "PAYMENT_CONFIRMED",
  AUTHORIZED: "PAYMENT_AUTHORIZED",
  AWAITING_RISK_ANALYSIS: "PAYMENT_AWAITING_RISK_ANALYSIS",
} as const;

/** Returns a plan's payments, or the one that is of none. */
export function wholeOf(payment: Payment): readonly Payment[] {
  return payment.plan?.payments ?? [payment];
}

/** A payer's card pays a whole plan at once. A payment that was removed is paid too: its page was open. */
export function payByCard(account: Account, payment: Payment, options: PayOptions, deps: AsaasDeps): void {
  const { brand = "VISA", last4 = "4444", confirmed, status = "CONFIRMED" } = options;
  const all = wholeOf(payment);
  if (all.length > countMaxOf(brand))
    throw new Error(`${brand} pays at most ${countMaxOf(brand)} installments`);
  const card = { brand, last4, token: deps.ids.uuid() };
  const receipt = `${deps.origin()}/comprovantes/${deps.ids.token(16)}`;
  for (const one of all) [one.card, one.receipt] = [card, receipt];
  for (const one of all.slice(0, confirmed ?? all.length)) {
    if (status === "CONFIRMED") confirm(account, one, deps);
    else change(account, one, status, EVENTS[status], deps);
  }
}

/** Confirms what of a plan a payment by card left. */
export function confirmRest(account: Account, payment: Payment, deps: AsaasDeps): void {
  for (const one of wholeOf(payment)) if (one.confirmedOn === null) confirm(account, one, deps);
}

/** The n-th installment is credited after n times the days, on a day when banks work. */
function confirm(account: Account, payment: Payment, deps: AsaasDeps): void {
  payment.confirmedOn = today(deps);
  payment.creditOn = bankDay(plusDays(payment.confirmedOn, account.fees.cardDays * (payment.number ?? 1)));
  change(account, payment, "CONFIRMED", EVENTS.CONFIRMED, deps);
}

/** A card is declined; the payer may try again. */
export function decline(account: Account, payment: Payment, deps: AsaasDeps): void {
  for (const one of wholeOf(payment)) deps.tellOfPayment(account, "PAYMENT_CREDIT_CARD_CAPTURE_REFUSED", one);
}

/** PIX is received at once. */
export function payByPix(account: Account, payment: Payment, deps: AsaasDeps): void {
  payment.confirmedOn = today(deps);
  payment.pixTransaction = {
    id: deps.ids.uuid(),
    endToEndId: `E12345678${deps.ids.token(23)}`,
    effectiveAt: stampOf(deps.clock.now()),
  };
  receive(account, payment, deps);
}

/** Ends the risk analysis. What becomes of a payment that it reproves is in no document. */
export function endReview(
  account: Account,
  payment: Payment,
  outcome: "approved" | "reproved",
  reprovedStatus: "PENDING" | "REFUNDED",
  deps: AsaasDeps,
): void {
  for (const one of wholeOf(payment)) {
    if (one.status !== "AWAITING_RISK_ANALYSIS") continue;
    if (outcome === "approved") {
      deps.tellOfPayment(account, "PAYMENT_APPROVED_BY_RISK_ANALYSIS", one);
      confirm(account, one, deps);
    } else {
      [one.card, one.receipt] = [null, null];
      change(account, one, reprovedStatus, "PAYMENT_REPROVED_BY_RISK_ANALYSIS", deps);
    }
  }
}

export interface ChargebackGiven {
  readonly reason?: string;
  /** Not given: the payment's whole value. */
  readonly valueMinor?: bigint;
  /** Not given: an id of its own. */
  readonly id?: string;
}

export function startChargeback(
  account: Account,
  payment: Payment,
  { reason = "FRAUD", valueMinor = payment.valueMinor, id }: ChargebackGiven,
  deps: AsaasDeps,
): void {
  const startedOn = today(deps);
  payment.chargeback = {
    id: id ?? deps.ids.uuid(),
    valueMinor,
    reason,
    startedOn,
    deadlineOn: plusDays(startedOn, DISPUTE_DAYS),
    statusBefore: payment.status,
    status: "REQUESTED",
    disputeStatus: null,
  };
  if (payment.receivedOn !== null) {
    addLine(account, { type: "CHARGEBACK", valueMinor: -valueMinor, payment }, deps);
  }
  change(account, payment, "CHARGEBACK_REQUESTED", "PAYMENT_CHARGEBACK_REQUESTED", deps);
}

/** Takes a chargeback on: into a dispute, lost, or won with the money on its way back and then back. */
export function moveChargeback(
  account: Account,
  payment: Payment,
  to: ChargebackMove,
  deps: AsaasDeps,
): void {
  const { chargeback } = payment;
  if (!chargeback) throw new Error(`the provider has no chargeback of ${payment.id}`);
  const { status, disputeStatus } = MOVES[to];
  [chargeback.status, chargeback.disputeStatus] = [status, disputeStatus];
  if (to === "disputed") {
    change(account, payment, "CHARGEBACK_DISPUTE", "PAYMENT_CHARGEBACK_DISPUTE", deps);
  } else if (to === "won") {
    change(account, payment, "AWAITING_CHARGEBACK_REVERSAL", "PAYMENT_AWAITING_CHARGEBACK_REVERSAL", deps);
  } else if (to === "lost") {
    change(account, payment, "REFUNDED", "PAYMENT_REFUNDED", deps);
  } else {
    const isReceived = payment.receivedOn !== null;
    if (isReceived)
      addLine(account, { type: "CHARGEBACK_REVERSAL", valueMinor: chargeback.valueMinor, payment }, deps);
    change(
      account,
      payment,
      chargeback.statusBefore,
      isReceived ? "PAYMENT_RECEIVED" : EVENTS.CONFIRMED,
      deps,
    );
  }
}

export type ChargebackMove = "disputed" | "won" | "reversed" | "lost";

const MOVES: Readonly<
  Record<ChargebackMove, { status: ChargebackStatus; disputeStatus: "REQUESTED" | "ACCEPTED" | "REJECTED" }>
> = {
  disputed: { status: "IN_DISPUTE", disputeStatus: "REQUESTED" },
  won: { status: "IN_DISPUTE", disputeStatus: "ACCEPTED" },
  reversed: { status: "REVERSED", disputeStatus: "ACCEPTED" },
  lost: { status: "DISPUTE_LOST", disputeStatus: "REJECTED" },
};

/** Pays a confirmed payment out before its date, for a fee. */
export function anticipate(account: Account, payment: Payment, feeMinor: bigint, deps: AsaasDeps): void {
  const valueMinor = payment.valueMinor - payment.feeMinor;
  payment.anticipation = { id: deps.ids.uuid(), on: today(deps), valueMinor, feeMinor };
  addLine(account, { type: "RECEIVABLE_ANTICIPATION_GROSS_CREDIT", valueMinor, payment }, deps);
  addLine(account, { type: "RECEIVABLE_ANTICIPATION_FEE", valueMinor: -feeMinor, payment }, deps);
  deps.tellOfPayment(account, "PAYMENT_ANTICIPATED", payment);
}

function change(
  account: Account,
  payment: Payment,
  status: Payment["status"],
  event: string,
  deps: AsaasDeps,
): void {
  payment.status = status;
  deps.tellOfPayment(account, event, payment);
}
