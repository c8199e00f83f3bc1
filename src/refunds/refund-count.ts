import type { Environment } from "../platform/db/database.ts";
import { REFUNDS_MAX } from "../providers/ports.ts";
import type { RefundRow } from "./entities.ts";
import { refusal } from "./refundable.ts";

/**
 * Refuses one more refund of money that has REFUNDS_MAX, whatever became of them: what a provider says of a charge, and
 * what is read of its refunds, then stays small. All exceptions of a payment count together. Error: invalid_request.
 */
export async function requireFewRefunds(
  { pool }: Environment,
  { tenantId, paymentId, exceptionId }: Pick<RefundRow, "tenantId" | "paymentId" | "exceptionId">,
): Promise<void> {
  const { rows } = await pool.query<{ count: number }>({
    name: "count refunds",
    text: `SELECT count(*)::int4 AS count FROM (SELECT FROM refund
      WHERE tenant_id = $1 AND payment_id = $2 AND origin = 'merchant' AND (exception_id IS NOT NULL) = $3
      LIMIT $4) r`,
    values: [tenantId, paymentId, exceptionId != null, REFUNDS_MAX],
  });
  if ((rows[0]?.count ?? 0) < REFUNDS_MAX) return;
  throw refusal(
    "too_many",
    `A payment has at most ${REFUNDS_MAX} refunds: give the rest back at its provider.`,
  );
}
