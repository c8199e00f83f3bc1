import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import type { Decision } from "../platform/write/decision.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { lockSession, updateCharge } from "./charge-changes.ts";
import type { ChargeRow, CheckoutSessionRow } from "./entities.ts";

/**
 * Decides the erasure of what a payer gave, at the payer's request. `charges`: of all payments of the session, among which
 * the details were used again, read after the session. Error: payment_in_progress while one of them is open: its provider may still need them.
 */
export function decideErasure(
  paymentId: string,
  session: CheckoutSessionRow,
  charges: readonly ChargeRow[],
  now: Date,
): Decision<{ erasedAt?: Timestamp }> {
  const given = charges.filter(({ sealedPayer }) => sealedPayer != null);
  const before = charges.find((charge) => charge.paymentId === paymentId)?.payerErasedAt;
  if (given.length === 0) {
    return { response: before ? { erasedAt: timestampFromDate(before) } : {}, changes: [] };
  }
  if (charges.some(({ isOpen }) => isOpen)) {
    const message =
      "Money may still come for this payment or its session: erase the details once it has ended.";
    throw new PaylinkError("payment_in_progress", message, "payment_id");
  }
  return {
    response: { erasedAt: timestampFromDate(now) },
    changes: [
      lockSession(session),
      ...given.map((charge) =>
        updateCharge(charge, {
          sealedPayer: null,
          cardTokenHash: null,
          cardLastFour: null,
          payerWords: null,
          payerErasedAt: now,
        }),
      ),
    ],
    audit: { objectId: paymentId },
  };
}
