import { create } from "@bufbuild/protobuf";
import { PaymentDetailsSchema, type PaymentDetails } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Environment } from "../platform/db/database.ts";
import { stampOf } from "../platform/time/timestamps.ts";
import { settlementDay } from "./business-days.ts";
import { findOverrides } from "./settlement.ts";

interface DetailsRow {
  readonly id: string;
  readonly product: string | null;
  readonly openedMs: number | null;
  readonly paidMs: number | null;
  readonly succeededOn: string | null;
  readonly termDays: number | null;
  readonly settledMs: number | null;
}

const ms = (time: string): string => `date_part('epoch', ${time}) * 1000`;

/** Returns what is known of payments beside their rows, by their ids: each is found by a key. */
export async function paymentDetails(
  { pool }: Environment,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PaymentDetails>> {
  if (ids.length === 0) return new Map();
  const [{ rows }, overrides] = await Promise.all([
    pool.query<DetailsRow>({
      name: "details of payments",
      text: `SELECT p.id, coalesce(l.description, l.product_ref) AS product, ${ms("o.created_at")} AS "openedMs",
          CASE WHEN p.status = 'succeeded' THEN ${ms("coalesce(c.paid_at, e.booked_at)")} END AS "paidMs",
          s.succeeded_on::text AS "succeededOn", s.term_days AS "termDays", ${ms("s.settled_at")} AS "settledMs"
        FROM payment p
        LEFT JOIN payment_link l ON l.tenant_id = p.tenant_id AND l.id = p.link_id
        LEFT JOIN charge c ON c.tenant_id = p.tenant_id AND c.payment_id = p.id
        LEFT JOIN checkout_session o ON o.tenant_id = c.tenant_id AND o.id = c.session_id
        LEFT JOIN ledger_entry e
          ON e.tenant_id = p.tenant_id AND e.payment_id = p.id AND e.kind = 'payment' AND e.source_id = ''
        LEFT JOIN settlement s ON s.tenant_id = p.tenant_id AND s.payment_id = p.id
        WHERE p.tenant_id = $1 AND p.id = ANY ($2)`,
      values: [tenantId, ids],
    }),
    findOverrides(pool),
  ]);
  return new Map(
    rows.map(({ id, product, openedMs, paidMs, succeededOn, termDays, settledMs }) => {
      const settlesOn =
        succeededOn === null || termDays === null
          ? undefined
          : settlementDay(Temporal.PlainDate.from(succeededOn), termDays, overrides).toString();
      const details = create(PaymentDetailsSchema, {
        product: product ?? undefined,
        openedAt: timeOf(openedMs),
        paidAt: timeOf(paidMs),
        settlesOn,
        settledAt: timeOf(settledMs),
      });
      return [id, details] as const;
    }),
  );
}

function timeOf(timeMs: number | null) {
  return stampOf(timeMs === null ? null : new Date(timeMs));
}
