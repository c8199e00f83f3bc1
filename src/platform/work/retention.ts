import type pg from "pg";
import type { Clock } from "../time/clock.ts";
import type { Environment } from "../db/database.ts";
import { sweep, type Found } from "./sweep.ts";

const BATCH = 1000;

/**
 * Removes the rows of a table without tenants whose time is `until` or earlier. It works in batches and skips locked
 * rows, so that no request waits for it. Returns the number of removed rows.
 */
export async function removeInBatches(
  pool: pg.Pool,
  table: string,
  key: readonly string[],
  time: string,
  until: Date,
): Promise<number> {
  const columns = key.join(", ");
  let removed = 0;
  for (;;) {
    const { rowCount } = await pool.query({
      name: `remove past ${table}`,
      text: `DELETE FROM ${table} WHERE (${columns}) IN (
          SELECT ${columns} FROM ${table} WHERE ${time} <= $1 ORDER BY ${time} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
        )`,
      values: [until],
    });
    removed += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH) return removed;
  }
}

/**
 * Removes the rows of each tenant whose time is `until` or earlier and that fulfil the condition `only`, and skips locked
 * rows. A row's primary key is its tenant and `key`. Returns the number of removed rows.
 */
export async function removeByTenant(
  pool: pg.Pool,
  table: string,
  key: readonly string[],
  time: string,
  until: Date,
  only = "true",
): Promise<number> {
  const columns = key.join(", ");
  return await sweep<Found>({
    pool,
    batch: BATCH,
    find: async (limit, exceptTenants) => {
      const { rows } = await pool.query<Found>({
        name: `find past ${table}`,
        text: `SELECT tenant_id AS "tenantId", ${columns} FROM ${table}
          WHERE ${time} <= $1 AND ${only} AND tenant_id <> ALL ($3) ORDER BY ${time} LIMIT $2`,
        values: [until, limit, exceptTenants],
      });
      return rows;
    },
    change: async (client, tenantId, rows) => {
      const { rowCount } = await client.query({
        name: `remove past ${table}`,
        text: `DELETE FROM ${table} WHERE tenant_id = $1 AND (${columns}) IN (
            SELECT ${columns} FROM ${table}
            WHERE tenant_id = $1 AND ${time} <= $3 AND ${only}
              AND (${columns}) IN (SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $2))
            ORDER BY ${columns} FOR UPDATE SKIP LOCKED
          )`,
        values: [tenantId, JSON.stringify(rows), until],
      });
      return rowCount ?? 0;
    },
  });
}

/** Removes expired idempotency records. Returns their number. */
export async function removePastKeys({ pool }: Environment, clock: Clock): Promise<number> {
  const now = new Date(clock.nowMs());
  return await removeByTenant(pool, "idempotency", ["key"], "expires_at", now);
}
