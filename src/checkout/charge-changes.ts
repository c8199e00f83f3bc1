import { hold, update, type Change } from "../platform/write/change.ts";
import type { ProviderReceipt } from "../providers/ports.ts";
import { Charge, CheckoutSession, type ChargeRow, type CheckoutSessionRow } from "./entities.ts";

/** Marks the session as paid by this payment, unless it has a success already. */
export function markSessionPaid({ tenantId, sessionId: id, paymentId }: ChargeRow): Change {
  return update(CheckoutSession, { tenantId, id, paidPaymentId: null }, { paidPaymentId: paymentId });
}

/**
 * Keeps the money that made a charge's payment succeed, and what its bank said of the payer. The provider of a card is asked from now on what becomes of it.
 */
export function markChargeReceived(
  charge: ChargeRow,
  { providerPaymentId, paidAt, endToEndId, card }: Omit<ProviderReceipt, "amountMinor">,
  payer: Partial<Pick<ChargeRow, "sealedPayer" | "payerWords">>,
  now: Date,
): Change {
  const settlementCheckAt = charge.cardStyle == null ? null : now;
  const money = { providerPaymentId, paidAt, endToEndId: endToEndId ?? null };
  const paidBy = { cardBrand: card?.brand ?? null, cardLastFour: card?.lastFour ?? null };
  return updateCharge(charge, {
    ...money,
    ...paidBy,
    ...payer,
    cardTokenHash: null,
    isOpen: false,
    settlementCheckAt,
  });
}

/** Changes a charge, unless another process has changed it since it was read. */
export function updateCharge(
  { tenantId, paymentId, receiptCount }: ChargeRow,
  set: Partial<ChargeRow>,
): Change {
  return update(Charge, { tenantId, paymentId, receiptCount }, { ...set, receiptCount: receiptCount + 1 });
}

/** Requires that these charges still have the details which a new payment of their session uses again. */
export function lockGivenDetails(charges: readonly ChargeRow[]): Change[] {
  return charges.flatMap(({ tenantId, paymentId, sealedPayer }) =>
    sealedPayer == null ? [] : [hold(Charge, { tenantId, paymentId, sealedPayer })],
  );
}

/** Requires that the session has no other started payment than when it was read. */
export function lockSession({ tenantId, id, paymentCount }: CheckoutSessionRow): Change {
  return hold(CheckoutSession, { tenantId, id, paymentCount });
}
