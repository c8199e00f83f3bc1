import type { DatabaseRows } from "../support/database-rows.ts";
import type { Merchant } from "../support/merchant.ts";

/** A payment as the books, the merchant's events and its exceptions have it. */
export interface Outcome {
  readonly status: string;
  /** Ids of the money that the payment and its exceptions have. */
  readonly money: number;
  readonly entries: string[];
  /** But for that of its start. */
  readonly events: string[];
  /** Reason, amount and proposed refund of each exception. */
  readonly exceptions: string[];
}

/** The outcome of one payment, told once everywhere. */
export const PAID_ONCE: Outcome = {
  status: "succeeded",
  money: 1,
  entries: ["payment"],
  events: ["payment.succeeded"],
  exceptions: [],
};

export async function outcomeOf(
  rows: DatabaseRows,
  { api }: Pick<Merchant, "api">,
  paymentId: string,
): Promise<Outcome> {
  const read = async (sql: string): Promise<string[]> =>
    (await rows.read(sql, [paymentId])).map(({ text }) => String(text));
  return {
    status: (await api.get(`/v1/payments/${paymentId}`)).body.status,
    money: await rows.count("live.taken_receipt WHERE payment_id = $1", [paymentId]),
    entries: await read(
      "SELECT kind AS text FROM live.ledger_entry WHERE payment_id = $1 AND kind <> 'settlement' ORDER BY kind, source_id",
    ),
    events: await read(
      "SELECT type AS text FROM live.event WHERE object_id = $1 AND type <> 'payment.pending' ORDER BY id",
    ),
    exceptions: await read(
      `SELECT reason || ' ' || amount_minor || ' ' || proposed_refund_minor AS text FROM live.payment_exception
        WHERE payment_id = $1 ORDER BY id`,
    ),
  };
}
