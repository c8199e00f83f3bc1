import { plusDays, stampOf } from "../provider/dates.ts";
import { minorOf, textOf, type Fields } from "../provider/json.ts";
import { addLine, balanceMinor } from "./finance.ts";
import { today, type AsaasDeps } from "./deps.ts";
import { invalid, notNow } from "./problem.ts";
import type { Account, Payment, Plan, Refund, RefundStatus } from "./state.ts";

const REFUND_DAYS = 365;

/** Returns what of a payment is not refunded, nor under way. */
function refundableMinor({ valueMinor, refunds }: Payment): bigint {
  return refunds
    .filter(({ status }) => status !== "CANCELLED")
    .reduce((rest, refund) => rest - refund.valueMinor, valueMinor);
}

export function refundPayment(account: Account, payment: Payment, body: Fields, deps: AsaasDeps): void {
  checkRefundable(payment, deps);
  const wantedMinor = wantedOf(body, refundableMinor(payment));
  // The fee of what was just received is gone, and is not given back.
  if (payment.billingType === "PIX" && wantedMinor > balanceMinor(account)) {
    throw notNow("O saldo da conta não basta para o estorno.");
  }
  addRefund(account, payment, { valueMinor: wantedMinor, description: textOf(body["description"]) }, deps);
}

/**
 * Refunds a plan, or a part of it from the last installment back. The official document does not say over which
 * installments a part is spread.
 */
export function refundPlan(account: Account, plan: Plan, body: Fields, deps: AsaasDeps): void {
  const paid = plan.payments.filter((payment) => isPaid(payment) && refundableMinor(payment) > 0n);
  for (const payment of paid) checkRefundable(payment, deps);
  const wholeMinor = paid.reduce((sum, payment) => sum + refundableMinor(payment), 0n);
  if (wholeMinor === 0n) throw notNow("O parcelamento não tem parcelas pagas.");
  let restMinor = wantedOf(body, wholeMinor);
  for (const payment of paid.toReversed()) {
    const mostMinor = refundableMinor(payment);
    const valueMinor = restMinor < mostMinor ? restMinor : mostMinor;
    if (valueMinor > 0n)
      addRefund(account, payment, { valueMinor, description: textOf(body["description"]) }, deps);
    restMinor -= valueMinor;
  }
}

/** Ends a refund that is under way. */
export function endRefund(
  account: Account,
  payment: Payment,
  refund: Refund,
  status: RefundStatus,
  deps: AsaasDeps,
): void {
  refund.status = status;
  if (status === "CANCELLED") {
    payment.status = refund.statusBefore;
    deps.tellOfPayment(account, "PAYMENT_REFUND_DENIED", payment);
    return;
  }
  refund.effectiveOn = today(deps);
  if (payment.receivedOn !== null) {
    addLine(account, { type: "PAYMENT_REVERSAL", valueMinor: -refund.valueMinor, payment }, deps);
  }
  const isWhole = refundableMinor(payment) === 0n;
  if (isWhole) payment.status = "REFUNDED";
  deps.tellOfPayment(account, isWhole ? "PAYMENT_REFUNDED" : "PAYMENT_PARTIALLY_REFUNDED", payment);
}

function addRefund(
  account: Account,
  payment: Payment,
  { valueMinor, description }: Pick<Refund, "valueMinor" | "description">,
  deps: AsaasDeps,
): void {
  const refund: Refund = {
    createdAt: stampOf(deps.clock.now()),
    valueMinor,
    description,
    statusBefore: payment.status,
    status: "PENDING",
    effectiveOn: null,
  };
  payment.refunds.push(refund);
  if (deps.refundRules.outcome !== "PENDING") {
    endRefund(account, payment, refund, deps.refundRules.outcome, deps);
    return;
  }
  if (refundableMinor(payment) > 0n) return;
  payment.status = "REFUND_IN_PROGRESS";
  deps.tellOfPayment(account, "PAYMENT_REFUND_IN_PROGRESS", payment);
}

function isPaid({ status }: Payment): boolean {
  return status === "CONFIRMED" || status === "RECEIVED";
}

function checkRefundable(payment: Payment, deps: AsaasDeps): void {
  if (!isPaid(payment)) throw notNow("A cobrança não está paga.");
  if (plusDays(payment.confirmedOn ?? "", REFUND_DAYS) < today(deps)) {
    throw notNow("O prazo para estornar a cobrança acabou.");
  }
}

function wantedOf(body: Fields, mostMinor: bigint): bigint {
  const given = body["value"];
  const wantedMinor = given === undefined || given === null ? mostMinor : minorOf(given);
  if (wantedMinor === undefined || wantedMinor <= 0n || wantedMinor > mostMinor) {
    throw invalid("value", "O valor do estorno não cabe no que foi pago.");
  }
  return wantedMinor;
}
