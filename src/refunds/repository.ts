import type { Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { dueRows, type DueTable } from "../platform/work/due-table.ts";
import type { DueRow, DueRows } from "../platform/work/due-work.ts";
import type { OtherRefund } from "../providers/ports.ts";
import { isId } from "../../contract/ids.ts";
import { Refund, type RefundRow } from "./entities.ts";

export async function findRefund(
  { orm }: Environment,
  tenantId: string,
  id: string,
): Promise<RefundRow | null> {
  return isId("ref", id) ? await orm.em.fork().findOne(Refund, { tenantId, id }) : null;
}

/** Returns a refund that the merchant asked for, or null; also null for a provider's return. */
export async function findMerchantRefund(
  environment: Environment,
  tenantId: string,
  id: string,
): Promise<RefundRow | null> {
  const refund = await findRefund(environment, tenantId, id);
  return refund?.origin === "merchant" ? refund : null;
}

/** Returns the return that a provider made by itself, or null if it is not recorded. */
export async function findReturn(
  { orm }: Environment,
  where: Pick<RefundRow, "tenantId" | "accountId" | "providerPaymentId" | "providerReturnId">,
): Promise<RefundRow | null> {
  return await orm.em.fork().findOne(Refund, where);
}

/** Returns the sum of the refunds that succeeded and of the returns, of a payment's own money or an exception's. */
export async function goneMinor(
  { pool }: Environment,
  tenantId: string,
  paymentId: string,
  exceptionId: string | null,
): Promise<bigint> {
  const { rows } = await pool.query<{ sum: string }>({
    name: "money that is gone",
    text: `SELECT coalesce(sum(amount_minor), 0)::text AS sum FROM refund
      WHERE tenant_id = $1 AND payment_id = $2 AND exception_id IS NOT DISTINCT FROM $3
        AND reversed_at IS NULL AND (status = 'succeeded' OR (origin = 'provider' AND status <> 'failed'))`,
    values: [tenantId, paymentId, exceptionId],
  });
  return BigInt(rows[0]?.sum ?? 0);
}

/** Returns true if a payment or an exception of it has a return that has not failed and did not come back. */
export async function hasReturns(
  { pool }: Environment,
  tenantId: string,
  paymentId: string,
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "has returns",
    text: `SELECT FROM refund WHERE tenant_id = $1 AND payment_id = $2 AND origin = 'provider'
        AND status <> 'failed' AND reversed_at IS NULL LIMIT 1`,
    values: [tenantId, paymentId],
  });
  return rowCount === 1;
}

/** Returns the returns of the same money as one, that one with them, that left and did not come back, the oldest first. */
export async function listGone(
  { orm }: Environment,
  { tenantId, paymentId, exceptionId }: Pick<RefundRow, "tenantId" | "paymentId" | "exceptionId">,
): Promise<RefundRow[]> {
  const of = { tenantId, paymentId, exceptionId: exceptionId ?? null };
  const where = { ...of, origin: "provider", status: "succeeded", reversedAt: null } as const;
  return await orm.em.fork().find(Refund, where, { orderBy: { id: "asc" } });
}

/** Returns the sum of what of a chargeback was booked later, whether it came back or not. */
export async function restMinorOf(
  { pool }: Environment,
  { tenantId, paymentId, id }: Pick<RefundRow, "tenantId" | "paymentId" | "id">,
): Promise<bigint> {
  const { rows } = await pool.query<{ sum: string }>({
    name: "rests of a chargeback",
    text: `SELECT coalesce(sum(amount_minor), 0)::text AS sum FROM refund
      WHERE tenant_id = $1 AND payment_id = $2 AND rest_of = $3`,
    values: [tenantId, paymentId, id],
  });
  return BigInt(rows[0]?.sum ?? 0);
}

const KNOWN = [
  "id",
  "providerPaymentId",
  "providerReturnId",
  "origin",
  "reason",
  "amountMinor",
  "unbookedMinor",
  "restOf",
  "status",
  "createdAt",
  "reversedAt",
] as const;

export type KnownRefund = Pick<RefundRow, (typeof KNOWN)[number]>;

/** Returns all refunds and returns of a payment and of its exceptions. */
export async function listKnown(
  { orm }: Environment,
  tenantId: string,
  paymentId: string,
): Promise<KnownRefund[]> {
  return await orm.em.fork().find(Refund, { tenantId, paymentId }, { fields: KNOWN });
}

/** Returns the other refunds and returns of a refund's money that are of its amount. */
export async function listOthers(
  environment: Environment,
  { tenantId, paymentId, id, providerPaymentId, amountMinor }: RefundRow,
): Promise<OtherRefund[]> {
  const known = await listKnown(environment, tenantId, paymentId);
  return known
    .filter((one) => one.id !== id && one.providerPaymentId === providerPaymentId)
    .filter((one) => one.amountMinor === amountMinor)
    .map(({ providerReturnId = null, createdAt: requestedAt, ...one }) => {
      return { id: one.id, status: one.status, providerReturnId, requestedAt };
    });
}

/** Returns at most `limit` refunds or returns of a payment's own money, newest first, starting after `after`. */
export async function listRefunds(
  { orm }: Environment,
  { tenantId, paymentId, origin }: Pick<RefundRow, "tenantId" | "paymentId" | "origin">,
  limit: number,
  after?: string,
): Promise<RefundRow[]> {
  const of = { tenantId, paymentId, origin, exceptionId: null };
  const where = after === undefined ? of : { ...of, id: { $lt: after } };
  return await orm.em.fork().find(Refund, where, { orderBy: { id: "desc" }, limit });
}

/** Returns at most `limit` refunds that a merchant asked for, newest first, starting after `after`. */
export async function listMerchantRefunds(
  { orm }: Environment,
  tenantId: string,
  limit: number,
  after?: string,
): Promise<RefundRow[]> {
  const of = { tenantId, origin: "merchant" } as const;
  const where = after === undefined ? of : { ...of, id: { $lt: after } };
  return await orm.em.fork().find(Refund, where, { orderBy: { id: "desc" }, limit });
}

/** Returns at most `limit` refunds of a payment's exceptions, newest first. */
export async function listExceptionRefunds(
  { orm }: Environment,
  of: Pick<RefundRow, "tenantId" | "paymentId">,
  limit: number,
): Promise<RefundRow[]> {
  const where = { ...of, origin: "merchant", exceptionId: { $ne: null } } as const;
  return await orm.em.fork().find(Refund, where, { orderBy: { id: "desc" }, limit });
}

/** Returns when a payment's success was booked. Throws Error if it was not. */
export async function successTime({ pool }: Environment, tenantId: string, paymentId: string): Promise<Date> {
  const { rows } = await pool.query<{ ms: string }>({
    name: "time of a success",
    text: `SELECT (date_part('epoch', booked_at) * 1000)::int8::text AS ms FROM ledger_entry
      WHERE tenant_id = $1 AND payment_id = $2 AND kind = 'payment'`,
    values: [tenantId, paymentId],
  });
  if (!rows[0]) throw new Error(`${paymentId} succeeded and is not in the books`);
  return new Date(Number(rows[0].ms));
}

/** A refund that is due for a request to its provider. */
export interface DueRefund extends DueRow {
  readonly id: string;
}

/** Refunds that are not final, each due for a check, later each time. Returns by providers that are under way are among them. */
const DUE_REFUNDS: DueTable<DueRefund> = {
  name: "refunds",
  table: "refund",
  key: ["id"],
  due: "check_at",
  where: "status IN ('requested', 'processing')",
  columns: { tenantId: "tenant_id", id: "id", accountId: "account_id" },
  taken: `check_at = $1::timestamptz
    + greatest(interval '15 seconds', least(($1 - coalesce(refused_at, created_at)) / 2, interval '6 hours'))`,
};

export function dueRefunds({ pool }: Environment, clock: Clock): DueRows<DueRefund> {
  return dueRows(pool, clock, DUE_REFUNDS);
}

/** An exception that is due to be given back by itself. */
export interface DueException extends DueRow {
  readonly id: string;
}

/** One whose process died is due again after a while. */
const DUE_EXCEPTIONS: DueTable<DueException> = {
  name: "exceptions",
  table: "payment_exception",
  key: ["id"],
  due: "refund_at",
  columns: { tenantId: "tenant_id", id: "id", accountId: "NULL::text" },
  taken: "refund_at = $1::timestamptz + interval '15 minutes'",
};

export function dueExceptions({ pool }: Environment, clock: Clock): DueRows<DueException> {
  return dueRows(pool, clock, DUE_EXCEPTIONS);
}

/**
 * Notes that the request for a refund is about to leave, and when it is looked for. Returns false if it may have left
 * before, or was refused or answered for: of all processes one gets true.
 */
export async function markSent(
  { pool }: Environment,
  { tenantId, id }: Pick<RefundRow, "tenantId" | "id">,
  now: Date,
  checkAt: Date,
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "mark refund as sent",
    text: `UPDATE refund SET sent_at = $3, check_at = greatest(check_at, $4)
      WHERE tenant_id = $1 AND id = $2 AND sent_at IS NULL AND status = 'requested'`,
    values: [tenantId, id, now, checkAt],
  });
  return rowCount === 1;
}

/** Notes that the request for a refund was certainly not carried out. */
export async function unmarkSent(
  { pool }: Environment,
  { tenantId, id }: Pick<RefundRow, "tenantId" | "id">,
): Promise<void> {
  await pool.query({
    name: "unmark refund as sent",
    text: `UPDATE refund SET sent_at = NULL WHERE tenant_id = $1 AND id = $2`,
    values: [tenantId, id],
  });
}

/** Sets the time of the next request: the provider asked for this delay. */
export async function postponeRefund(
  { pool }: Environment,
  { tenantId, id }: Pick<RefundRow, "tenantId" | "id">,
  until: Date,
): Promise<void> {
  await pool.query({
    name: "postpone refund",
    text: `UPDATE refund SET check_at = greatest(check_at, $3) WHERE tenant_id = $1 AND id = $2`,
    values: [tenantId, id, until],
  });
}
