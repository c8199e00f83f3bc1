import type { PaymentState as StateEnum } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { WordOf } from "../../contract/enum-words.ts";

export type PaymentState = WordOf<typeof StateEnum>;

/** The state of payment `p` with price `r`, in SQL: what was paid is told apart by what went back. */
export const STATE = `CASE WHEN p.status <> 'succeeded' OR p.refunded_minor = 0 THEN p.status
  WHEN p.refunded_minor < r.payer_total_minor THEN 'partially_refunded' ELSE 'refunded' END`;

/** The condition of each state, in SQL. What has gone back is found by an index of its own. */
export const STATE_CONDITIONS: Readonly<Record<PaymentState, string>> = {
  pending: "p.status = 'pending'",
  processing: "p.status = 'processing'",
  succeeded: "p.status = 'succeeded' AND p.refunded_minor = 0",
  partially_refunded: "p.refunded_minor > 0 AND p.refunded_minor < r.payer_total_minor",
  refunded: "p.refunded_minor > 0 AND p.refunded_minor >= r.payer_total_minor",
  failed: "p.status = 'failed'",
  expired: "p.status = 'expired'",
};
