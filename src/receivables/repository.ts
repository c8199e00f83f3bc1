import type { ProviderEntryKind } from "../ledger/provider-postings.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { dueRows, type DueTable } from "../platform/work/due-table.ts";
import type { DueRow, DueRows } from "../platform/work/due-work.ts";
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
export interface DueSettlement extends DueRow {
  readonly paymentId: string;
  /** When it is due, in Unix milliseconds. */
  readonly dueMs: string;
}

// A worker that fails, or whose provider does, has the charge again then.
const LEASE = "interval '900 seconds'";

/** Charges of cards whose money is looked after, each due for a look at it. */
const DUE_SETTLEMENTS: DueTable<DueSettlement> = {
  name: "money of cards",
  table: "charge",
  key: ["paymentId"],
  due: "settlement_check_at",
  columns: {
    tenantId: "tenant_id",
    paymentId: "payment_id",
    accountId: "account_id",
    dueMs: "(date_part('epoch', settlement_check_at) * 1000)::int8::text",
  },
  taken: `settlement_check_at = $1::timestamptz + ${LEASE}`,
};

export function dueSettlements({ pool }: Environment, clock: Clock): DueRows<DueSettlement> {
  return dueRows(pool, clock, DUE_SETTLEMENTS);
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
