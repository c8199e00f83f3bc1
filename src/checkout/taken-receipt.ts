import type { PaymentRow } from "../ledger/entities.ts";
import { insert, type Change } from "../platform/write/change.ts";
import type { Environment } from "../platform/db/database.ts";
import { invalidRequest, type PaylinkError } from "../platform/rpc/errors.ts";
import type { ReceivedMoney } from "../providers/ports.ts";
import { TakenReceipt, type ChargeRow } from "./entities.ts";

/** Returns true if another payment of the charge's account has the same money. */
export async function isTakenElsewhere(
  { pool }: Environment,
  { tenantId, id, method }: PaymentRow,
  charge: ChargeRow,
  providerPaymentId: string,
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "taken receipt",
    text: `SELECT FROM taken_receipt
      WHERE tenant_id = $1 AND account_id = $2 AND method = $3 AND provider_payment_id = $4 AND payment_id <> $5`,
    values: [tenantId, accountOf(charge), method, providerPaymentId, id],
  });
  return rowCount === 1;
}

/** Money as a statement names it. */
export type NamedMoney = Pick<ReceivedMoney, "providerPaymentId" | "reference">;

/**
 * Returns the ids of that part of an account's money that was accepted, as a success or an exception. If an account
 * was put again, its statement also names what the charges of the retired one have: the reference says which.
 */
export async function takenOf(
  { pool }: Environment,
  { tenantId, accountId }: { readonly tenantId: string; readonly accountId: string },
  money: readonly NamedMoney[],
): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ id: string }>({
    name: "taken receipts",
    text: `SELECT t.provider_payment_id AS id FROM unnest($3::text[], $4::text[]) AS m (id, reference)
      JOIN taken_receipt t ON t.tenant_id = $1 AND t.method IN ('pix', 'card') AND t.provider_payment_id = m.id
      WHERE t.account_id = $2 OR EXISTS (SELECT FROM charge c
        WHERE c.tenant_id = t.tenant_id AND c.payment_id = t.payment_id AND c.reference = m.reference)`,
    values: [
      tenantId,
      accountId,
      money.map(({ providerPaymentId }) => providerPaymentId),
      money.map(({ reference }) => reference),
    ],
  });
  return new Set(rows.map(({ id }) => id));
}

export function takenElsewhere(): PaylinkError {
  return invalidRequest("provider_payment_id", "provider_payment_id was recorded for another payment.");
}

/** Records the money as accepted: the commit fails if another payment records the same money first. */
export function insertTakenReceipt(
  payment: PaymentRow,
  charge: ChargeRow,
  providerPaymentId: string,
  createdAt: Date,
): Change {
  const { tenantId, id: paymentId, method } = payment;
  const accountId = accountOf(charge);
  return insert(TakenReceipt, { tenantId, accountId, method, providerPaymentId, paymentId, createdAt });
}

/** Money without an account is known by its method alone. */
function accountOf({ accountId }: ChargeRow): string {
  return accountId ?? "";
}
