import { update, type Change } from "../platform/change.ts";
import { Charge, CheckoutSession, type ChargeRow } from "./entities.ts";

/** The session's success, unless it has one. */
export function paid({ tenantId, sessionId: id, paymentId }: ChargeRow): Change {
  return update(CheckoutSession, { tenantId, id, paidPaymentId: null }, { paidPaymentId: paymentId });
}

/** A change of a charge, unless somebody else changed it meanwhile. */
export function counted({ tenantId, paymentId, receiptCount }: ChargeRow, set: Partial<ChargeRow>): Change {
  return update(Charge, { tenantId, paymentId, receiptCount }, { ...set, receiptCount: receiptCount + 1 });
}
