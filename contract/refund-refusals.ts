/** Why a refund is refused as an invalid request, in the metadata of the error: `refusal`, and `left` in centavos. */
export const REFUND_REFUSALS = [
  "not_succeeded",
  "bank_transfer",
  "nothing_left",
  "more_than_left",
  "too_many",
] as const;

export type RefundRefusal = (typeof REFUND_REFUSALS)[number];
