import { update, type Change } from "../platform/change.ts";
import { Charge, CheckoutSession, type ChargeRow } from "./entities.ts";

/** Marks the session as paid by this payment, unless it has a success already. */
export function paid({ tenantId, sessionId: id, paymentId }: ChargeRow): Change {
  return update(CheckoutSession, { tenantId, id, paidPaymentId: null }, { paidPaymentId: paymentId });
}

/** Changes a charge, unless another process has changed it since it was read. */
export function counted({ tenantId, paymentId, receiptCount }: ChargeRow, set: Partial<ChargeRow>): Change {
  return update(Charge, { tenantId, paymentId, receiptCount }, { ...set, receiptCount: receiptCount + 1 });
}
