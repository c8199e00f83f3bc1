import type { WordOf } from "../../contract/enum-words.ts";
import type { PaymentExceptionOrder as OrderEnum } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { Conditions, countRows, type RowOrder } from "../platform/db/conditions.ts";
import type { Environment } from "../platform/db/database.ts";
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

/** Money of exceptions, summed. */
export interface UntakenSum {
  /** What is to go back. */
  readonly amountMinor: bigint;
  readonly isDuplicate: boolean;
  /** True: all of it goes back, or went back. */
  readonly isGoing: boolean;
  /** True: all of it went back. */
  readonly isGone: boolean;
}

/** Returns the money of all exceptions of some payments, or undefined if they have none. */
export async function untakenSum(
  { pool }: Environment,
  tenantId: string,
  paymentIds: readonly string[],
): Promise<UntakenSum | undefined> {
  const { rows } = await pool.query<Omit<UntakenSum, "amountMinor"> & { amount: string }>({
    name: "untaken money",
    text: `SELECT sum(x.proposed_refund_minor)::text AS amount, bool_and(x.reason = 'duplicate') AS "isDuplicate",
        bool_and(x.refund_at IS NOT NULL OR x.refund_reserved_minor >= x.proposed_refund_minor) AS "isGoing",
        bool_and(coalesce(gone.minor, 0) >= x.proposed_refund_minor) AS "isGone"
      FROM payment_exception x LEFT JOIN LATERAL (SELECT sum(amount_minor) AS minor FROM refund
          WHERE tenant_id = x.tenant_id AND payment_id = x.payment_id AND exception_id = x.id
            AND reversed_at IS NULL AND (status = 'succeeded' OR (origin = 'provider' AND status <> 'failed'))) gone
        ON true
      WHERE x.tenant_id = $1 AND x.payment_id = ANY ($2) HAVING count(*) > 0`,
    values: [tenantId, paymentIds],
  });
  return rows.map(({ amount, ...sum }) => ({ ...sum, amountMinor: BigInt(amount) }))[0];
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

/** The orders of exceptions, by their words. */
type ExceptionOrder = WordOf<typeof OrderEnum>;

const RECORDED: RowOrder = { key: "x.id", direction: "DESC" };
const ORDERS: Readonly<Record<ExceptionOrder, RowOrder>> = {
  received_desc: { key: "x.received_at", direction: "DESC" },
  received_asc: { key: "x.received_at", direction: "ASC" },
  amount_desc: { key: "x.amount_minor", direction: "DESC" },
  amount_asc: { key: "x.amount_minor", direction: "ASC" },
};
const FROM = "payment_exception x";

/** Returns at most `limit` exceptions in this order, else the one recorded last first, starting after `after`. */
export async function listExceptions(
  { pool, orm }: Environment,
  tenantId: string,
  filter: ExceptionFilter,
  limit: number,
  after?: string,
  order?: ExceptionOrder,
): Promise<PaymentExceptionRow[]> {
  const by = order ? ORDERS[order] : RECORDED;
  const where = conditions(tenantId, filter);
  if (after !== undefined && order) where.afterRow(FROM, "x", by, tenantId, after);
  else if (after !== undefined) where.add("x.id < $", after);
  const { rows } = await pool.query<Record<string, unknown>>(
    `SELECT x.* FROM ${FROM} WHERE ${where.text} ORDER BY ${by.key} ${by.direction}, x.id ${by.direction} LIMIT ${limit}`,
    where.values,
  );
  const em = orm.em.fork();
  return rows.map((row) => em.map(PaymentException, row));
}

/** Returns the number of exceptions that match, at most 1001. */
export async function countExceptions(
  environment: Environment,
  tenantId: string,
  filter: ExceptionFilter,
): Promise<number> {
  return await countRows(environment, FROM, conditions(tenantId, filter));
}

function conditions(tenantId: string, { paymentId, isOpen = false }: ExceptionFilter): Conditions {
  const where = new Conditions().add("x.tenant_id = $", tenantId);
  if (paymentId !== undefined) where.add("x.payment_id = $", paymentId);
  if (isOpen) where.add("x.refund_reserved_minor < x.proposed_refund_minor");
  return where;
}
