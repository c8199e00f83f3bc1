import { dayAt, startOfDay } from "../../contract/day.ts";
import type { Clock } from "../platform/time/clock.ts";
import { within, type Change } from "../platform/write/change.ts";
import type pg from "pg";

/** Days before an account's first reading that are read at most, and lines before which no run looks at again. */
export const PAST_DAYS = 92;

type Client = Pick<pg.PoolClient, "query">;

/** Makes a tenant's lines due to be matched, those of a day and all after it. Null: nothing changed but what is due. */
export async function makeRunDue(
  client: Client,
  clock: Clock,
  tenantId: string,
  changedFrom: string | null,
): Promise<void> {
  const nowMs = clock.nowMs();
  const first = dayAt(nowMs).subtract({ days: PAST_DAYS });
  await client.query({
    name: "make a reconciliation due",
    text: `INSERT INTO reconciliation_run (tenant_id, due_at, changed_from, books_read_to) VALUES ($1, $2, $3, $4)
      ON CONFLICT (tenant_id) DO UPDATE SET due_at = least(reconciliation_run.due_at, $2),
        changed_from = least(reconciliation_run.changed_from, $3), change_count = reconciliation_run.change_count + 1`,
    values: [tenantId, new Date(nowMs), changedFrom, new Date(startOfDay(first))],
  });
}

/** Returns the change that makes a tenant's lines due to be matched. */
export function runDue(clock: Clock, tenantId: string, changedFrom: string | null): Change {
  return within(async (client) => await makeRunDue(client, clock, tenantId, changedFrom));
}

/** Makes an account's statement due to be read, from its first day on, and from no day before PAST_DAYS ago. */
export async function makeReadingDue(
  client: Client,
  clock: Clock,
  tenantId: string,
  accountId: string,
): Promise<void> {
  const nowMs = clock.nowMs();
  await client.query({
    name: "make a statement due",
    text: `INSERT INTO statement_reading (tenant_id, account_id, first_day, due_at, failure_count)
      VALUES ($1, $2, greatest($3::date, (SELECT (created_at AT TIME ZONE 'America/Sao_Paulo')::date
        FROM provider_account WHERE tenant_id = $1 AND id = $2)), $4, 0)
      ON CONFLICT (tenant_id, account_id) DO UPDATE SET due_at = least(statement_reading.due_at, $4)`,
    values: [tenantId, accountId, dayAt(nowMs).subtract({ days: PAST_DAYS }).toString(), new Date(nowMs)],
  });
}
