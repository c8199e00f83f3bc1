import type { ChargeRow } from "./entities.ts";

type Given =
  | "tenantId"
  | "paymentId"
  | "sessionId"
  | "number"
  | "reference"
  | "createdAt"
  | "expiresAt"
  | "checkAt";

/** Returns a charge of which nothing is known yet but what is given. */
export function newCharge(given: Pick<ChargeRow, Given> & Partial<ChargeRow>): ChargeRow {
  return {
    accountId: null,
    preparationCount: null,
    pixCode: null,
    challengeUrl: null,
    cardStyle: null,
    providerChargeId: null,
    callbackChargeIds: [],
    reviewedAt: null,
    removedAt: null,
    absentCount: 0,
    settlementCheckAt: null,
    declineReason: null,
    declineBrand: null,
    cardTokenHash: null,
    acknowledgedTotalMinor: null,
    sealedPayer: null,
    payerWords: null,
    payerErasedAt: null,
    providerPaymentId: null,
    endToEndId: null,
    cardBrand: null,
    cardLastFour: null,
    paidAt: null,
    receiptMailCount: null,
    receiptCount: 0,
    isOpen: true,
    ...given,
  };
}
