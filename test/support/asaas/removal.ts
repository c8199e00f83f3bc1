import type { AsaasDeps } from "./deps.ts";
import { notNow } from "./problem.ts";
import type { Account, Payment, Plan } from "./state.ts";

export function isOpen({ status, isDeleted }: Payment): boolean {
  return !isDeleted && (status === "PENDING" || status === "OVERDUE");
}

/** Removes a payment that waits for its payer. Throws Problem in any other state. */
export function removePayment(account: Account, payment: Payment, deps: AsaasDeps): void {
  if (!isOpen(payment)) throw notNow("A cobrança não está à espera de pagamento.");
  payment.isDeleted = true;
  deps.tellOfPayment(account, "PAYMENT_DELETED", payment);
}

/** Removes a plan with those of its payments that wait for their payer. What is paid stays. */
export function removePlan(account: Account, plan: Plan, deps: AsaasDeps): void {
  const open = plan.payments.filter(isOpen);
  if (open.length === 0) throw notNow("O parcelamento não tem parcelas à espera de pagamento.");
  for (const payment of open) removePayment(account, payment, deps);
  plan.isDeleted = true;
}
