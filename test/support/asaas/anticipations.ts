import type { Fields } from "../provider/json.ts";
import type { AsaasDeps } from "./deps.ts";
import { amount } from "./messages.ts";
import type { Account, Anticipation, Payment } from "./state.ts";

interface Listed {
  readonly payment: Payment;
  readonly anticipation: Anticipation;
}

/** Returns the anticipations of a payment or a plan, the first one first. */
export function listedAnticipations({ payments }: Account, query: URLSearchParams): Listed[] {
  const [paymentId, planId] = [query.get("payment"), query.get("installment")];
  return [...payments.values()]
    .filter(({ id, plan }) => (paymentId ?? id) === id && (planId === null || plan?.id === planId))
    .flatMap((payment) => (payment.anticipation ? [{ payment, anticipation: payment.anticipation }] : []));
}

/** Returns an anticipation. One of a single payment names no plan, as in the documents. */
export function anticipationBody({ payment, anticipation }: Listed, deps: AsaasDeps): Fields {
  const { id, on, valueMinor, feeMinor } = anticipation;
  return {
    object: "anticipation",
    id,
    installment: null,
    payment: payment.id,
    status: payment.status === "RECEIVED" ? "DEBITED" : "CREDITED",
    anticipationDate: on,
    dueDate: payment.creditOn,
    requestDate: on,
    fee: amount(feeMinor, deps),
    netValue: amount(valueMinor - feeMinor, deps),
    totalValue: amount(payment.valueMinor, deps),
    value: amount(valueMinor, deps),
    denialObservation: null,
  };
}
