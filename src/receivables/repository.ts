import type { ProviderEntryKind } from "../ledger/provider-postings.ts";
import type { Environment } from "../platform/database.ts";
import type { Found } from "../platform/sweep.ts";
import type { Excepted } from "../platform/work-by-account.ts";
import { Dispute, type DisputeRow } from "./entities.ts";
import { keyOf, type KnownFacts } from "./facts.ts";

type OfPayment = Pick<DisputeRow, "tenantId" | "paymentId">;

/** Returns what is kept of a payment's installments: each sum, and the number and day of its last fact. */
export async function findFacts(
  { pool }: Environment,
  { tenantId, paymentId }: OfPayment,
): Promise<KnownFacts> {
  const { rows } = await pool.query<{
    kind: ProviderEntryKind;
    installment: number;
    minor: string;
    number: number;
    onDay: string | null;
  }>({
    name: "facts of a payment",
    text: `SELECT kind, installment, sum(amount_minor)::text AS minor, max(number) AS number,
        (array_agg(on_day::text ORDER BY number DESC))[1] AS "onDay"
      FROM receivable_fact WHERE tenant_id = $1 AND payment_id = $2 GROUP BY kind, installment`,
    values: [tenantId, paymentId],
  });
  return new Map(
    rows.map(({ minor, number, onDay, ...of }) => [keyOf(of), { amountMinor: BigInt(minor), number, onDay }]),
  );
}

/** Returns the disputes of a payment. */
export async function findDisputes({ orm }: Environment, of: OfPayment): Promise<DisputeRow[]> {
  return await orm.em.fork().find(Dispute, of, { orderBy: { id: "asc" } });
}

/** A paid card charge whose provider is due to be asked about its money. */
export interface DueSettlement extends Found {
  readonly paymentId: string;
  readonly accountId: string | null;
  /** When it is due, in Unix milliseconds. */
  readonly dueMs: string;
}

const DUE_MS = `(date_part('epoch', settlement_check_at) * 1000)::int8::text AS "dueMs"`;

/** Returns up to `limit` charges that are due now, except those of excepted accounts and tenants. */
export async function findDueSettlements(
  { pool }: Environment,
  now: Date,
  limit: number,
  { accounts, tenants }: Excepted,
): Promise<DueSettlement[]> {
  const { rows } = await pool.query<DueSettlement>({
    name: "find due money of cards",
    text: `SELECT tenant_id AS "tenantId", payment_id AS "paymentId", account_id AS "accountId", ${DUE_MS} FROM charge
      WHERE settlement_check_at <= $1 AND coalesce(account_id, tenant_id) <> ALL ($3) AND tenant_id <> ALL ($4)
      ORDER BY settlement_check_at LIMIT $2`,
    values: [now, limit, accounts, tenants],
  });
  return rows;
}

/** Takes those charges that are still due and not locked, until `leaseEnd`: a worker that fails has them again then. */
export async function takeDueSettlements(
  { pool }: Environment,
  now: Date,
  leaseEnd: Date,
  tenantId: string,
  due: readonly DueSettlement[],
): Promise<DueSettlement[]> {
  const { rows } = await pool.query<DueSettlement>({
    name: "take due money of cards",
    text: `WITH due AS (
        SELECT payment_id FROM charge
        WHERE tenant_id = $3 AND payment_id = ANY ($4) AND settlement_check_at <= $1
        ORDER BY payment_id FOR UPDATE SKIP LOCKED
      )
      UPDATE charge c SET settlement_check_at = $2 FROM due
      WHERE c.tenant_id = $3 AND c.payment_id = due.payment_id
      RETURNING c.tenant_id AS "tenantId", c.payment_id AS "paymentId", c.account_id AS "accountId", ${DUE_MS.replace("settlement", "c.settlement")}`,
    values: [now, leaseEnd, tenantId, due.map(({ paymentId }) => paymentId)],
  });
  return rows;
}

/**
 * Sets when a charge's provider is asked next, unless it has become due by news since it was taken. `dueOn` is the first
 * day on which money is expected that is not settled, null if all of it is settled; undefined: it stays as it is.
 */
export async function setNextCheck(
  { pool }: Environment,
  { tenantId, paymentId, dueMs }: DueSettlement,
  next: Date | null,
  dueOn?: string | null,
): Promise<void> {
  await pool.query({
    name: "next look at money of a card",
    text: `UPDATE charge SET settlement_check_at = $3,
        settlement_due_on = CASE WHEN $5 THEN $6::date ELSE settlement_due_on END
      WHERE tenant_id = $1 AND payment_id = $2 AND settlement_check_at = $4`,
    values: [tenantId, paymentId, next, new Date(Number(dueMs)), dueOn !== undefined, dueOn ?? null],
  });
}
