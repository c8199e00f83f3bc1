import type pg from "pg";
import type { Mode } from "../platform/rpc/caller.ts";
import type { Clock } from "../platform/time/clock.ts";
import { DueWork, type DueRow, type DueRows } from "../platform/work/due-work.ts";
import type { ReconciliationDeps } from "./deps.ts";
import type { Run } from "./run.ts";

// A worker that ends in between has the run taken from it then.
const LEASE = "interval '900 seconds'";

/** Returns the work of reconciling tenants where that is due. */
export function runWork(deps: ReconciliationDeps, mode: Mode, run: Run): DueWork<DueRow> {
  const { environments, clock, log } = deps;
  return new DueWork({
    clock,
    rows: dueRuns(environments[mode].pool, clock),
    concurrency: { ofAccount: 1, ofTenant: 1, total: 2 },
    run: async ({ tenantId }) => await run.run(mode, tenantId),
    isOutage: () => false,
    onLateFault: (error) => log.error({ err: error, mode }, "a tenant could not be reconciled"),
    failure: "tenants could not be reconciled",
  });
}

function dueRuns(pool: pg.Pool, clock: Clock): DueRows<DueRow> {
  const now = (): Date => new Date(clock.nowMs());
  return {
    idOf: ({ tenantId }) => tenantId,
    find: async (limit, { accounts, tenants }) => {
      const { rows } = await pool.query<DueRow>({
        name: "find due reconciliations",
        text: `SELECT tenant_id AS "tenantId", NULL AS "accountId" FROM reconciliation_run
          WHERE due_at <= $1 AND tenant_id <> ALL ($3) AND tenant_id <> ALL ($4) ORDER BY due_at LIMIT $2`,
        values: [now(), limit, accounts, tenants],
      });
      return rows;
    },
    take: async (tenantId) => {
      const { rows } = await pool.query<DueRow>({
        name: "take a due reconciliation",
        text: `UPDATE reconciliation_run SET due_at = $1::timestamptz + ${LEASE} WHERE tenant_id = (
            SELECT tenant_id FROM reconciliation_run WHERE tenant_id = $2 AND due_at <= $1 FOR UPDATE SKIP LOCKED)
          RETURNING tenant_id AS "tenantId", NULL AS "accountId"`,
        values: [now(), tenantId],
      });
      return rows;
    },
  };
}
