import type { PaymentRow } from "../ledger/entities.ts";
import { insert, type Change } from "../platform/change.ts";
import type { Environment } from "../platform/database.ts";
import { invalidRequest, type PaylinkError } from "../platform/errors.ts";
import { TakenReceipt } from "./entities.ts";

/** Returns true if another payment of the tenant has the same money. */
export async function isTakenElsewhere(
  { pool }: Environment,
  { tenantId, id, method }: PaymentRow,
  providerPaymentId: string,
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "taken receipt",
    text: `SELECT FROM taken_receipt
      WHERE tenant_id = $1 AND method = $2 AND provider_payment_id = $3 AND payment_id <> $4`,
    values: [tenantId, method, providerPaymentId, id],
  });
  return rowCount === 1;
}

/** Returns those of the ids whose money the tenant has accepted, as a success or an exception. */
export async function takenOf(
  { pool }: Environment,
  tenantId: string,
  method: PaymentRow["method"],
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ id: string }>({
    name: "taken receipts",
    text: `SELECT provider_payment_id AS id FROM taken_receipt
      WHERE tenant_id = $1 AND method = $2 AND provider_payment_id = ANY ($3)`,
    values: [tenantId, method, ids],
  });
  return new Set(rows.map(({ id }) => id));
}

export function takenElsewhere(): PaylinkError {
  return invalidRequest("provider_payment_id", "provider_payment_id was recorded for another payment.");
}

/** Records the money as accepted: the commit fails if another payment records the same money first. */
export function taken(payment: PaymentRow, providerPaymentId: string, createdAt: Date): Change {
  const { tenantId, id: paymentId, method } = payment;
  return insert(TakenReceipt, { tenantId, method, providerPaymentId, paymentId, createdAt });
}
