import { raw } from "@mikro-orm/core";
import { defined } from "../../contract/defined.ts";
import type { Environment } from "../platform/database.ts";
import { PaymentException, type PaymentExceptionRow } from "./entities.ts";

/** Returns the exception that a report of money led to, or null if there is none. */
export async function findException(
  { orm }: Environment,
  tenantId: string,
  paymentId: string,
  providerPaymentId: string,
): Promise<PaymentExceptionRow | null> {
  return await orm.em.fork().findOne(PaymentException, { tenantId, paymentId, providerPaymentId });
}

/** Returns up to `limit` of the provider's ids of money that led to exceptions of a payment. */
export async function exceptedMoney(
  { pool }: Environment,
  tenantId: string,
  paymentId: string,
  limit: number,
): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ id: string }>({
    name: "money of exceptions",
    text: `SELECT provider_payment_id AS id FROM payment_exception
      WHERE tenant_id = $1 AND payment_id = $2 LIMIT $3`,
    values: [tenantId, paymentId, limit],
  });
  return new Set(rows.map(({ id }) => id));
}

/** Returns true if one of the payments has an exception. */
export async function haveException(
  { pool }: Environment,
  tenantId: string,
  paymentIds: readonly string[],
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "have exception",
    text: `SELECT FROM payment_exception WHERE tenant_id = $1 AND payment_id = ANY ($2) LIMIT 1`,
    values: [tenantId, paymentIds],
  });
  return rowCount === 1;
}

/** Which exceptions of a tenant. */
export interface ExceptionFilter {
  readonly paymentId?: string | undefined;
  /** True: only those of which some of the proposed refund has not gone back and is not about to. */
  readonly isOpen?: boolean;
}

/** Returns at most `limit` exceptions, newest first, starting after `after`. */
export async function listExceptions(
  { orm }: Environment,
  tenantId: string,
  { paymentId, isOpen = false }: ExceptionFilter,
  limit: number,
  after?: string,
): Promise<PaymentExceptionRow[]> {
  const where = {
    tenantId,
    ...defined({ paymentId }),
    ...(after === undefined ? {} : { id: { $lt: after } }),
    ...(isOpen ? { [raw("refund_reserved_minor < proposed_refund_minor")]: [] } : {}),
  };
  return await orm.em.fork().find(PaymentException, where, { orderBy: { id: "desc" }, limit });
}
