import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { isId } from "../../contract/ids.ts";
import { wordsOf, type WordOf } from "../../contract/enum-words.ts";
import {
  BalanceTransactionType,
  type BalanceTransactionSchema,
} from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { Conditions } from "../platform/db/conditions.ts";
import type { Environment } from "../platform/db/database.ts";
import type { Period } from "../platform/time/period.ts";

const types = wordsOf(BalanceTransactionType);

/** Which of them are listed. */
export interface BalanceTransactionFilter {
  readonly tenantId: string;
  /** When they were booked. Undefined: at any time. */
  readonly period: Period | undefined;
  /** Undefined: of all payments. */
  readonly paymentId: string | undefined;
}

type EntryKey = readonly [paymentId: string, kind: string, sourceId: string];

// The condition of the index `ledger_entry_of_merchant`: these kinds alone move what a merchant has.
const KINDS = "e.kind IN ('payment', 'settlement', 'refund', 'return', 'return_reversal')";
const PLACE = "e.booked_at, e.payment_id, e.kind, e.source_id";

/** Returns the id of an entry as a balance transaction: what it is of, "pay_…:settlement" or "pay_…:refund:ref_…". */
function idOf([paymentId, kind, sourceId]: EntryKey): string {
  return [paymentId, kind, ...(sourceId === "" ? [] : [sourceId])].join(":");
}

/** Returns the id if the tenant has such a balance transaction. */
export async function findBalanceTransactionId(
  { pool }: Environment,
  tenantId: string,
  id: string,
): Promise<string | undefined> {
  const [paymentId, kind, sourceId] = keyOf(id);
  if (!isId("pay", paymentId) || idOf([paymentId, kind, sourceId]) !== id) return undefined;
  const { rows } = await pool.query(
    `SELECT FROM ledger_entry e
      WHERE e.tenant_id = $1 AND e.payment_id = $2 AND e.kind = $3 AND e.source_id = $4 AND ${KINDS}`,
    [tenantId, paymentId, kind, sourceId],
  );
  return rows.length === 0 ? undefined : id;
}

function keyOf(id: string): EntryKey {
  const [paymentId = "", kind = "", sourceId = ""] = id.split(":");
  return [paymentId, kind, sourceId];
}

/**
 * Returns at most `limit` entries that moved what the merchant has, the one booked last first, starting after `after`. The
 * sums of all are the merchant's balance.
 */
export async function listBalanceTransactions(
  { pool }: Environment,
  filter: BalanceTransactionFilter,
  limit: number,
  after: string | undefined,
): Promise<{ id: string; transaction: MessageInitShape<typeof BalanceTransactionSchema> }[]> {
  const where = conditions(filter, after);
  const { rows } = await pool.query<{
    paymentId: string;
    kind: WordOf<typeof BalanceTransactionType>;
    sourceId: string;
    bookedMs: string;
    currency: string;
    pending: string;
    available: string;
  }>(
    `SELECT e.payment_id AS "paymentId", e.kind, e.source_id AS "sourceId",
        (date_part('epoch', e.booked_at) * 1000)::int8::text AS "bookedMs", moved.currency,
        moved.pending::text AS pending, moved.available::text AS available
      FROM ledger_entry e CROSS JOIN LATERAL (
        SELECT l.currency,
          coalesce(sum(l.credit_minor - l.debit_minor) FILTER (WHERE l.account = 'merchant_payable'), 0) AS pending,
          coalesce(sum(l.credit_minor - l.debit_minor) FILTER (WHERE l.account = 'merchant_available'), 0) AS available
        FROM ledger_line l
        WHERE l.tenant_id = e.tenant_id AND l.payment_id = e.payment_id AND l.kind = e.kind AND l.source_id = e.source_id
          AND l.account IN ('merchant_payable', 'merchant_available')
        GROUP BY l.currency
      ) AS moved
      WHERE ${where.text}
      ORDER BY e.booked_at DESC, e.payment_id DESC, e.kind DESC, e.source_id DESC LIMIT ${limit}`,
    where.values,
  );
  return rows.map(({ paymentId, kind, sourceId, bookedMs, currency, pending, available }) => {
    const id = idOf([paymentId, kind, sourceId]);
    const transaction = {
      id,
      type: types.numbers[kind],
      paymentId,
      refundId: sourceId || undefined,
      currency,
      pending: BigInt(pending),
      available: BigInt(available),
      createdAt: timestampFromDate(new Date(Number(bookedMs))),
    };
    return { id, transaction };
  });
}

function conditions(
  { tenantId, period, paymentId }: BalanceTransactionFilter,
  after: string | undefined,
): Conditions {
  const where = new Conditions().add("e.tenant_id = $", tenantId).add(KINDS);
  if (period) where.add("e.booked_at >= $ AND e.booked_at < $", period.from, period.until);
  if (paymentId !== undefined) where.add("e.payment_id = $", paymentId);
  if (after === undefined) return where;
  const key = [tenantId, ...keyOf(after)];
  const place = `SELECT ${PLACE} FROM ledger_entry e
    WHERE e.tenant_id = $ AND e.payment_id = $ AND e.kind = $ AND e.source_id = $`;
  // The bound on booked_at alone starts the scan of the index.
  return where
    .add(`e.booked_at <= (${place.replace(PLACE, "e.booked_at")})`, ...key)
    .add(`(${PLACE}) < (${place})`, ...key);
}
